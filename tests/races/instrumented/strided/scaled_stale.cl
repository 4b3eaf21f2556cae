// expect: data-race
// run: -g 16 -l 16 -a buf:16
// Work-items before the last barrier use the old distance: element 2 * 3 of work-item 3 is 3 * 2 of work-item
// 2.
kernel void k(global int *a)
{
    local int t[128];
    int l = get_local_id(0), before = 1;
    for (int distance = 2; distance < 4; distance++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[before * l] = l;
        before = distance;
        t[before * l] = l;
    }
}
