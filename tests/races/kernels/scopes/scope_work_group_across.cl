// expect: scope-race
// at: 8 atomic-rmw, 8 atomic-rmw, different groups
// reason: both atomics have scope work_group, but the work-items are in different work-groups
// run: -g 4 -l 2 -a buf:1
// Atomics of different work-groups at work-group scope are not inclusive of each other [CL 3.3.5 O13].
kernel void k(global atomic_int *x)
{
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
}
