// expect: barrier-divergence
// at: 8
// run: -g 8 -l 8 -a buf:8
// Work-items of a sub-group meet at two different calls [CL 3.3.6 B10].
kernel void k(global int *out)
{
    if (get_sub_group_local_id() == 0)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    else
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
