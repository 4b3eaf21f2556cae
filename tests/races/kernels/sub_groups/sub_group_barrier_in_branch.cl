// expect: barrier-divergence
// at: 8
// run: -g 8 -l 8 -a buf:8
// One work-item of each sub-group misses the barrier [CL 3.3.6 B10; CLC 6.15.8 R2].
kernel void k(global int *out)
{
    if (get_sub_group_local_id() != 1)
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
