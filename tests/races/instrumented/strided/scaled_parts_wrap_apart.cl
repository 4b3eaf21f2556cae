// expect: clean
// run: -g 16 -l 16 -a buf:16 -a 0x80000001
// Multiples of 2^31 + 1 by even numbers are those of 1 modulo 2^32.
kernel void k(global uint *a, uint start)
{
    local uint t[64];
    uint l = get_local_id(0);
    for (uint distance = start; distance != 0; distance >>= 31) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l & 1) == 0)
            t[distance * l] = l;
    }
}
