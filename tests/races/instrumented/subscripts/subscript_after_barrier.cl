// expect: out-of-bounds
// run: -g 8 -l 8 -a buf:8
// After the barrier the first work-items access memory out of the array's bounds; the last ones, which do
// nothing, must not clear that finding.
kernel void k(global uint *o)
{
    local uint t[16];
    int l = get_local_id(0), off = 0;
    t[l] = l;
    for (int d = 4; d > 0; d >>= 1, off *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[off * (2 * l + 2) - 1] += 5;
    }
}
