// expect: clean
// run: -g 6 -l 1 -a buf:8 -a buf:1 -a buf:1
// The CLH lock (Craig, Landin, Hagersten): each work-item waits on the node of its predecessor.
#define S memory_scope_device
kernel void k(global atomic_int *busy, global atomic_int *tail, global int *sum)
{
    int mine = (int)get_global_id(0) + 1;
    atomic_store_explicit(&busy[mine], 1, memory_order_relaxed, S);
    int before = atomic_exchange_explicit(tail, mine, memory_order_acq_rel, S);
    while (atomic_load_explicit(&busy[before], memory_order_acquire, S))
        ;
    *sum += mine;
    atomic_store_explicit(&busy[mine], 0, memory_order_release, S);
}
