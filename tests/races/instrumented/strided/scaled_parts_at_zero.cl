// expect: data-race
// run: -g 16 -l 16 -a buf:16 -a 0
// With a distance of zero, which the loop does not change, all work-items write the same pair.
kernel void k(global int *a, int start)
{
    local short t[128];
    int l = get_local_id(0);
    for (int distance = start, k = 0; k < 2; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        vstore2((short2)(l), 0, t + distance * l);
    }
}
