// expect: scope-race
// at: 9 atomic-rmw, 9 atomic-rmw, different sub-groups
// reason: both atomics have scope sub_group, but the work-items are in different sub-groups
// run: -k k --global 64 --local 64 --arg buf:1
/* Sub-group scope does not include the other sub-groups of the work-group [CL 3.3.5 O12]. */
kernel void k(global atomic_int *n)
{
    if (get_sub_group_local_id() == 0)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_sub_group);
}
