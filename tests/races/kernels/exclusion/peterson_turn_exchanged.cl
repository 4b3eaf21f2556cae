// expect: clean
// run: -g 2 -l 1 -a buf:2 -a buf:1 -a buf:1
// Peterson's lock with acquire and release only: the second exchange of the turn acquires from the first one,
// so its work-item reads that the other one has set its flag.
#define S memory_scope_device
kernel void k(global atomic_int *wants, global atomic_int *turn, global int *sum)
{
    int me = (int)get_global_id(0);
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed, S);
    atomic_exchange_explicit(turn, !me, memory_order_acq_rel, S);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire, S) &&
           atomic_load_explicit(turn, memory_order_acquire, S) == !me)
        ;
    *sum += 1;
    atomic_store_explicit(&wants[me], 0, memory_order_release, S);
}
