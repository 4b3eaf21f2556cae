// expect: data-race
// at: 11 read, 14 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 12 -l 1 -a buf:64 -a buf:64
// The node's key is written after the node is linked.
#define S memory_scope_device
kernel void k(global atomic_int *children, global int *keys)
{
    int i = (int)get_global_id(0), key = (i * 5) % 12, at = 0;
    for (;;) {
        int side = 2 * at + (at && key > keys[at]), is = 0;
        if (atomic_compare_exchange_strong_explicit(&children[side], &is, i + 1, memory_order_acq_rel,
                                                    memory_order_acquire, S)) {
            keys[i + 1] = key;
            return;
        }
        at = is;
    }
}
