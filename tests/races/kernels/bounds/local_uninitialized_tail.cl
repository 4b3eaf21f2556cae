// expect: uninitialized-read
// at: 12; uninitialized 12
// run: -c race,memory,uninitialized -g 8 -l 8 -a buf:6:iota -a buf:8
// Work-items past the end load nothing, but their elements are summed.
kernel void k(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    if (l < 6)
        s[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[7 - l];
}
