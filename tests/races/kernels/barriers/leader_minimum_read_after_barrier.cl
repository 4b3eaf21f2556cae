// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:1:fill=99 -a buf:8
// A minimum computed by atomics, read by a plain load after a barrier.
kernel void k(global const int *in, global int *best, global int *out)
{
    int l = get_local_id(0);
    atomic_min((volatile global int *)best, in[l] ^ 5);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = *best;
}
