// expect: data-race
// run: -g 16 -l 16 -a buf:16 -a 2
// With no barrier between distances 1 and 3, both work-item 1 and work-item 0 access element 3.
kernel void k(global int *a, int from)
{
    local int t[128];
    int l = get_local_id(0);
    for (int distance = 1; distance < 4; distance++) {
        t[distance * (2 * l + 1)] = l;
        if (distance > from)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
}
