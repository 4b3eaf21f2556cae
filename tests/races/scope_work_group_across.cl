// expect: scope-race
// run: -g 4 -l 2 -a buf:1
// Atomics of different work-groups at work-group scope are not inclusive of each other [CL 3.3.5 O13].
kernel void k(global atomic_int *x)
{
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
}
