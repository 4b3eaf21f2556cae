// expect: data-race
// at: 16 read, 16 write, different groups
// reason: is relaxed and no acquire fence follows
// fix: memory_order_acquire
// run: -g 6 -l 1 -a buf:8 -a buf:1 -a buf:1
// The exchange of the tail acquires what precedes the predecessor's exchange, not its critical section: that
// takes an acquire load of the predecessor's node.
#define S memory_scope_device
kernel void k(global atomic_int *busy, global atomic_int *tail, global int *sum)
{
    int mine = (int)get_global_id(0) + 1;
    atomic_store_explicit(&busy[mine], 1, memory_order_relaxed, S);
    int before = atomic_exchange_explicit(tail, mine, memory_order_acq_rel, S);
    while (atomic_load_explicit(&busy[before], memory_order_relaxed, S))
        ;
    *sum += mine;
    atomic_store_explicit(&busy[mine], 0, memory_order_release, S);
}
