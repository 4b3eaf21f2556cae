// expect: data-race
// at: 12 write, 15 read, different groups; 19 write, 22 read, different groups; 9 write, 25 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:2 -a buf:2 -a buf:8 -a buf:8
// As global_barrier_flags.cl, with volatile flags in place of atomics.
kernel void k(global volatile int *in, global volatile int *out, global int *a, global int *o)
{
    int l = get_local_id(0), g = get_group_id(0), G = get_num_groups(0), i = get_global_id(0);
    a[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        in[g] = 1;
    if (g == 0) {
        if (l < G)
            while (!in[l])
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l < G)
            out[l] = 1;
    }
    if (l == 0)
        while (!out[g])
            ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = a[7 - i];
}
