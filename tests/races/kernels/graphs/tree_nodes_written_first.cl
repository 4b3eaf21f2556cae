// expect: clean
// run: -g 12 -l 1 -a buf:64 -a buf:64
// The key is written first; the exchange that links the node releases it, and a failing exchange acquires.
#define S memory_scope_device
kernel void k(global atomic_int *children, global int *keys)
{
    int i = (int)get_global_id(0), key = (i * 5) % 12, at = 0;
    keys[i + 1] = key;
    for (;;) {
        int side = 2 * at + (at && key > keys[at]), is = 0;
        if (atomic_compare_exchange_strong_explicit(&children[side], &is, i + 1, memory_order_acq_rel,
                                                    memory_order_acquire, S))
            return;
        at = is;
    }
}
