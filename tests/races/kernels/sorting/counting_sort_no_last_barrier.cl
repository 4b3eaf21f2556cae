// expect: data-race
// at: 18 write, 21 atomic-rmw, same group; fair: 21 write, 21 write, same group; fair: 17 read, 21 atomic-rmw, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// Positions are taken while the offsets are being computed.
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
    out[atomic_inc(&n[key]) & 7] = in[l];
}
