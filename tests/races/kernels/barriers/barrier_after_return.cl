// expect: barrier-divergence
// at: 11
// run: -g 8 -l 8 -a buf:6
// Work-items past the end return before the barrier.
kernel void k(global int *out)
{
    size_t i = get_global_id(0);
    if (i >= 6)
        return;
    out[i] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] += 1;
}
