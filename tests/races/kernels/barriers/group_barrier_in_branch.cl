// expect: barrier-divergence
// at: 8
// run: -g 8 -l 8 -a buf:8
// One work-item misses the barrier of its work-group [CL 3.3.6 W10].
kernel void k(global int *out)
{
    if (get_local_id(0) != 3)
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
