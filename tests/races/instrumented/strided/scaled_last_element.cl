// expect: clean
// run: -g 16 -l 16 -a buf:128 -a 16
// At this distance only work-item 0 writes elements, among them t[31], which it writes again.
kernel void k(global int *a, int distance)
{
    local int t[32];
    int l = get_local_id(0);
    for (int d = 16 / distance; d > 0; d >>= 1, distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            t[distance * (2 * l + 1) - 1] = l;
            t[distance * (2 * l + 2) - 1] = l;
        }
        if (l == 0)
            t[31] = d;
    }
}
