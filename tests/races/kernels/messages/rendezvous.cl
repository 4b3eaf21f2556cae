// expect: clean
// run: -g 2 -l 1 -a buf:2 -a buf:2 -a buf:2
// Two work-groups exchange data: each releases its offer and acquires the other's.
kernel void k(global int *offer, global atomic_int *there, global int *got)
{
    int me = (int)get_global_id(0);
    offer[me] = 10 + me;
    atomic_fetch_add_explicit(&there[me], 1, memory_order_release, memory_scope_device);
    while (!atomic_load_explicit(&there[!me], memory_order_acquire, memory_scope_device))
        ;
    got[me] = offer[!me];
}
