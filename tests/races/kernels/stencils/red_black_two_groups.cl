// expect: data-race
// at: 11 read, 11 write, different groups
// reason: different work-groups
// run: -g 16 -l 8 -a buf:18:iota
// As red_black.cl with two work-groups: at their border nothing orders the accesses.
kernel void k(global int *a)
{
    int i = (int)get_global_id(0) + 1;
    for (int step = 0; step < 4; step++) {
        if (i % 2 == step % 2)
            a[i] = (a[i - 1] + a[i + 1]) / 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
