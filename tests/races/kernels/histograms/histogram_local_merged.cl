// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:4
// A histogram for each group in local memory, merged with atomics.
kernel void k(global const int *in, global int *hist)
{
    local int h[4];
    int l = get_local_id(0);
    for (int i = l; i < 4; i += get_local_size(0))
        h[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 4; i += get_local_size(0))
        atomic_add(&hist[i], h[i]);
}
