// expect: clean
// run: -g 16 -l 16 -a buf:16 -a 0
// Between two barriers there is only one distance.
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
