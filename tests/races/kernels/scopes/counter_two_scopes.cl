// expect: scope-race
// at: 9 atomic-rmw, 11 atomic-rmw, different groups
// reason: the atomics have scopes device and work_group, which are not inclusive of each other
// run: -g 8 -l 4 -a buf:1
// One group counts with work-group scope, the other with device scope.
kernel void k(global atomic_int *n)
{
    if (get_group_id(0))
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_work_group);
    else
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
}
