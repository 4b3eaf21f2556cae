// expect: data-race
// at: 15 write, 28 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 8 -l 1 -a buf:1 -a buf:1 -a buf:8
// Readers leave without release, so their reads are not ordered before the writer.
#define S memory_scope_device
kernel void k(global atomic_int *l, global int *x, global int *o)
{
    int i = get_global_id(0);
    if (i % 4 == 3) {
        int e = 0;
        while (!atomic_compare_exchange_strong_explicit(l, &e, -1, memory_order_acquire, memory_order_relaxed,
                                                        S))
            e = 0;
        *x += 1;
        atomic_store_explicit(l, 0, memory_order_release, S);
    } else {
        int e = atomic_load_explicit(l, memory_order_relaxed, S);
        for (;;) {
            if (e < 0) {
                e = atomic_load_explicit(l, memory_order_relaxed, S);
                continue;
            }
            if (atomic_compare_exchange_weak_explicit(l, &e, e + 1, memory_order_acquire,
                                                      memory_order_relaxed, S))
                break;
        }
        o[i] = *x;
        atomic_fetch_sub_explicit(l, 1, memory_order_relaxed, S);
    }
}
