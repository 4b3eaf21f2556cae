// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:8 -a buf:1
// All work-items write out a queue of the group in local memory.
kernel void k(global const int *in, global int *out, global int *count)
{
    local int queue[8];
    local int n;
    int l = get_local_id(0);
    if (l == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[l] & 1)
        queue[atomic_inc(&n)] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n)
        out[l] = queue[l];
    if (l == 0)
        *count = n;
}
