// expect: data-race
// at: 14 read, 14 write, different groups; scope-race 11 atomic-rmw, 15 atomic-write, different groups; scope-race 15 atomic-write, 15 atomic-write, different groups
// reason: has scope work_group, but the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:1 -a buf:1
// The lock's release is at work-group scope: it does not synchronize with other work-groups.
kernel void k(global int *counter, global atomic_int *lock)
{
    if (get_local_id(0) != 0)
        return;
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_work_group))
        expected = 0;
    *counter += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
}
