// expect: data-race
// at: 18 read, 18 write, different groups
// reason: is relaxed and follows no release fence
// run: -g 5 -l 1 -a buf:8 -a buf:8 -a buf:1 -a buf:1
// The flag is cleared and read with relaxed order.
#define S memory_scope_device
kernel void k(global atomic_int *next, global atomic_int *wait, global atomic_int *tail, global int *x)
{
    int me = get_global_id(0) + 1;
    atomic_store_explicit(&next[me], 0, memory_order_relaxed, S);
    int p = atomic_exchange_explicit(tail, me, memory_order_relaxed, S);
    if (p) {
        atomic_store_explicit(&wait[me], 1, memory_order_relaxed, S);
        atomic_store_explicit(&next[p], me, memory_order_release, S);
        while (atomic_load_explicit(&wait[me], memory_order_relaxed, S))
            ;
    }
    *x += me;
    int n = atomic_load_explicit(&next[me], memory_order_acquire, S);
    if (!n) {
        int e = me;
        if (atomic_compare_exchange_strong_explicit(tail, &e, 0, memory_order_relaxed, memory_order_relaxed,
                                                    S))
            return;
        while (!(n = atomic_load_explicit(&next[me], memory_order_acquire, S)))
            ;
    }
    atomic_store_explicit(&wait[n], 0, memory_order_relaxed, S);
}
