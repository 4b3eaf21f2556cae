// expect: clean
// run: -g 16 -l 16 -a buf:16
// As scaled_before_and_behind.cl, with a second barrier at the end of each iteration.
kernel void k(global int *a)
{
    local int t[128];
    int l = get_local_id(0);
    for (int distance = 1; distance < 4; distance += 2) {
        t[distance * (2 * l + 1)] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[distance * (2 * l + 1)] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
