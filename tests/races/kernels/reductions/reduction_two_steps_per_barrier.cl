// expect: data-race
// at: 13 read, 14 write, same group
// run: -g 32 -l 16 -a buf:128:iota -a buf:8
kernel void k(global int *in, global int *out)
{
    local int t[16];
    uint i = get_local_id(0), s = 8;
    t[i] = in[get_global_id(0)];
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 2; k++) {
            if (i < s) {
                int x = t[i] + t[i + s];
                t[i] = x;
            }
            s /= 2;
        }
    } while (s > 0);
    if (i == 0)
        out[get_group_id(0)] = t[0];
}
