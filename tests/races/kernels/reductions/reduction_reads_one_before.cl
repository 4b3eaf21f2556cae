// expect: data-race
// at: 12 read, 13 write, same group
// run: -g 32 -l 16 -a buf:128:iota -a buf:8
kernel void k(global int *in, global int *out)
{
    local int t[16];
    size_t i = get_local_id(0);
    t[i] = in[get_global_id(0)];
    for (size_t s = 8; s > 1; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < s) {
            int x = t[i] + t[i + s - 1];
            t[i] = x;
        }
    }
    if (i == 0)
        out[get_group_id(0)] = t[0];
}
