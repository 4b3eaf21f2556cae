// expect: barrier-divergence
// at: 11
// run: -g 4 -l 4 -a buf:4
// Two barriers on two branches are not one barrier.
kernel void k(global int *out)
{
    size_t l = get_local_id(0);
    if (l % 2)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = 1;
}
