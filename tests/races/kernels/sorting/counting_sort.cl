// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// Counts by atomics, offsets by one work-item, positions by atomics.
kernel void k(global const int *in, global int *out)
{
    local int n[4];
    int l = get_local_id(0), key = in[l] * 5 % 4;
    if (l < 4)
        n[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n[key]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        for (int i = 0, sum = 0; i < 4; i++) {
            int c = n[i];
            n[i] = sum;
            sum += c;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[atomic_inc(&n[key])] = in[l];
}
