// expect: barrier-divergence
// at: 9
// run: -g 4 -l 4 -a buf:4
// The trip count of the loop around the barrier differs between work-items.
kernel void k(global int *out)
{
    size_t l = get_local_id(0);
    for (size_t i = 0; i <= l; i++)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = 1;
}
