// expect: clean
// run: -g 8 -l 4 -a buf:2 -a buf:2 -a buf:8 -a buf:8
// The first group reads a flag of each group, then sets a flag for each.
#define ALL memory_scope_device
kernel void k(global atomic_int *in, global atomic_int *out, global int *a, global int *o)
{
    int l = get_local_id(0), g = get_group_id(0), G = get_num_groups(0), i = get_global_id(0);
    a[i] = i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        atomic_store_explicit(&in[g], 1, memory_order_release, ALL);
    if (g == 0) {
        if (l < G)
            while (!atomic_load_explicit(&in[l], memory_order_acquire, ALL))
                ;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l < G)
            atomic_store_explicit(&out[l], 1, memory_order_release, ALL);
    }
    if (l == 0)
        while (!atomic_load_explicit(&out[g], memory_order_acquire, ALL))
            ;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = a[7 - i];
}
