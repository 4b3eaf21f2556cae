// expect: clean
// run: -g 8 -l 8 -a buf:6
// Work-items past the end do nothing, but reach the barrier.
kernel void k(global int *out)
{
    size_t i = get_global_id(0);
    if (i < 6)
        out[i] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < 6)
        out[5 - i] += 1;
}
