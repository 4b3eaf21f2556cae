// expect: clean
// run: -k k --global 64 --local 64 --arg buf:1
/* Work-group scope includes the other sub-groups of the work-group. */
kernel void k(global atomic_int *n)
{
    if (get_sub_group_local_id() == 0)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_work_group);
}
