// expect: data-race
// at: 13 read, 13 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:4 -a buf:4
// The lock that is held belongs to another element, and differs from group to group.
kernel void k(global int *bins, global atomic_int *locks)
{
    if (get_local_id(0) != 0)
        return;
    size_t g = get_group_id(0);
    while (atomic_exchange_explicit(&locks[g], 1, memory_order_acquire, memory_scope_device))
        ;
    bins[0] += 1;
    atomic_store_explicit(&locks[g], 0, memory_order_release, memory_scope_device);
}
