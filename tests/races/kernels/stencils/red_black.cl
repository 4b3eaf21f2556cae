// expect: clean
// run: -g 16 -l 16 -a buf:18:iota
// Even and odd elements are updated alternately within one work-group.
kernel void k(global int *a)
{
    int i = (int)get_local_id(0) + 1;
    for (int step = 0; step < 4; step++) {
        if (i % 2 == step % 2)
            a[i] = (a[i - 1] + a[i + 1]) / 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
