// expect: data-race
// at: 12 write, 17 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8 
// The counter is cleared for the next iteration while others still read it.
kernel void k(global int *out)
{
    local int c;
    int l = get_local_id(0);
    for (int round = 0; round < 3; round++) {
        if (l == 0)
            c = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l % (round + 1) == 0)
            atomic_inc(&c);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] += c;
    }
}
