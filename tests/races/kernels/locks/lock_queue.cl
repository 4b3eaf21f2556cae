// expect: clean
// run: -g 5 -l 1 -a buf:8 -a buf:8 -a buf:1 -a buf:1
// Each work-item waits for its own flag, which its predecessor clears.
#define S memory_scope_device
kernel void k(global atomic_int *next, global atomic_int *wait, global atomic_int *tail, global int *x)
{
    int me = get_global_id(0) + 1;
    atomic_store_explicit(&next[me], 0, memory_order_relaxed, S);
    int p = atomic_exchange_explicit(tail, me, memory_order_acq_rel, S);
    if (p) {
        atomic_store_explicit(&wait[me], 1, memory_order_relaxed, S);
        atomic_store_explicit(&next[p], me, memory_order_release, S);
        while (atomic_load_explicit(&wait[me], memory_order_acquire, S))
            ;
    }
    *x += me;
    int n = atomic_load_explicit(&next[me], memory_order_acquire, S);
    if (!n) {
        int e = me;
        if (atomic_compare_exchange_strong_explicit(tail, &e, 0, memory_order_release, memory_order_relaxed,
                                                    S))
            return;
        while (!(n = atomic_load_explicit(&next[me], memory_order_acquire, S)))
            ;
    }
    atomic_store_explicit(&wait[n], 0, memory_order_release, S);
}
