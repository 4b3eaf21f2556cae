// expect: data-race
// run: -g 16 -l 16 -a buf:16
// After a barrier, work-item 1 writes element 3 at distance 1, work-item 0 at distance 3 in the next
// iteration.
kernel void k(global int *a)
{
    local int t[128];
    int l = get_local_id(0);
    for (int distance = 1; distance < 4; distance += 2) {
        t[distance * (2 * l + 1)] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[distance * (2 * l + 1)] = l;
    }
}
