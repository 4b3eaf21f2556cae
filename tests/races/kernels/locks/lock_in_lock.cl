// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:1
// Nested locks: first within the group, then between the groups.
kernel void k(global atomic_int *outer, global int *x)
{
    local atomic_int turn;
    if (get_local_id(0) == 0)
        atomic_init(&turn, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != (int)get_local_id(0))
        ;
    int e = 0;
    while (!atomic_compare_exchange_strong_explicit(outer, &e, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
        e = 0;
    *x += 1;
    atomic_store_explicit(outer, 0, memory_order_release, memory_scope_device);
    atomic_store_explicit(&turn, get_local_id(0) + 1, memory_order_release, memory_scope_work_group);
}
