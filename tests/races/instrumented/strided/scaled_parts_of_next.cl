// expect: data-race
// run: -g 16 -l 16 -a buf:16
// The second element of a work-item is the first one of the next.
kernel void k(global int *a)
{
    local int t[128];
    int l = get_local_id(0);
    for (int distance = 1; distance < 4; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[distance * (2 * l + 1)] = l;
        t[distance * (2 * l + 3)] = l;
    }
}
