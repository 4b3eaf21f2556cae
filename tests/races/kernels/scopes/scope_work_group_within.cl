// expect: clean
// run: -g 4 -l 4 -a buf:1
// Work-group scope is inclusive within one work-group.
kernel void k(global atomic_int *x)
{
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
}
