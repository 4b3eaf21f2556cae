// expect: clean
// run: -g 16 -l 8 -a buf:2 -a buf:16
// One element for each work-group, written by its first work-item.
kernel void k(global int *first, global int *out)
{
    if (get_local_id(0) == 0)
        first[get_group_id(0)] = (int)get_group_id(0) * 8;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    out[get_global_id(0)] = first[get_group_id(0)];
}
