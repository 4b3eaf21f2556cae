// expect: data-race
// run: -g 16 -l 16 -a buf:16 -a 0x40000000
// Multiples of 2^30 times 0, 4, 8 and 12 are all 0 modulo 2^32.
kernel void k(global uint *a, uint start)
{
    local uint t[64];
    uint l = get_local_id(0);
    for (uint distance = start; distance != 0; distance *= 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l & 3) == 0)
            t[distance * l] = l;
    }
}
