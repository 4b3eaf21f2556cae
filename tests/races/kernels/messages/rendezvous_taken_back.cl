// expect: data-race
// at: 13 read, 14 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 2 -l 1 -a buf:2 -a buf:2 -a buf:2
// Having read the other's offer, each changes its own, which the other may be reading.
kernel void k(global int *offer, global atomic_int *there, global int *got)
{
    int me = (int)get_global_id(0);
    offer[me] = 10 + me;
    atomic_fetch_add_explicit(&there[me], 1, memory_order_release, memory_scope_device);
    while (!atomic_load_explicit(&there[!me], memory_order_acquire, memory_scope_device))
        ;
    got[me] = offer[!me];
    offer[me] = 0;
}
