// expect: clean
// run: -g 16 -l 16 -a buf:16 -a 2
// Pairs of shorts at a distance of two.
kernel void k(global int *a, int start)
{
    local short t[128];
    int l = get_local_id(0);
    for (int distance = start; distance < 8; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        vstore2((short2)(l), 0, t + distance * l);
    }
}
