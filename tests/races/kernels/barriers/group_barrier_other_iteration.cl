// expect: barrier-divergence
// at: 8
// run: -g 8 -l 8 -a buf:8
// Work-items of a work-group leave the loop after different numbers of barriers [CL 3.3.6 W2, W10].
kernel void k(global int *out)
{
    for (size_t i = 0; i < 1 + get_local_id(0) % 2; i++)
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
