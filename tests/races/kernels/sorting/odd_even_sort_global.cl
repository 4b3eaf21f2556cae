// expect: clean
// run: -g 8 -l 8 -a buf:16:rand=5
// A sort in global memory by one work-group; the barrier fences global memory.
kernel void k(global int *a)
{
    int i = (int)get_local_id(0);
    for (int round = 0; round < 16; round++) {
        int at = 2 * i + round % 2;
        if (at + 1 < 16 && a[at] > a[at + 1]) {
            int swap = a[at];
            a[at] = a[at + 1];
            a[at + 1] = swap;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
