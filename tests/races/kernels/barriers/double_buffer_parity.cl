// expect: clean
// run: -g 8 -l 8 -a buf:16:iota
// A double buffer whose halves swap roles at each barrier.
kernel void k(global int *a)
{
    int i = (int)get_local_id(0), now = 0;
    for (int step = 0; step < 5; step++) {
        a[(1 - now) * 8 + i] = a[now * 8 + (i + 1) % 8];
        now = 1 - now;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
