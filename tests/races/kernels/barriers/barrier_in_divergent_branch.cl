// expect: barrier-divergence
// at: 8
// run: -g 8 -l 8 -a buf:8
// Half of the work-group never reaches the barrier [CLC 6.15.8].
kernel void k(global int *out)
{
    if (get_local_id(0) < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
