// expect: data-race
// at: 9 write, 19 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:16 -a buf:16 -a buf:16
// One iteration is missing: a group is only ordered after the one before it.
kernel void k(global int *a, global atomic_int *told, global int *out)
{
    uint i = get_global_id(0), n = get_global_size(0), group = get_group_id(0), groups = get_num_groups(0);
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        for (uint round = 0, step = 1; step < groups / 2; round++, step *= 2) {
            atomic_store_explicit(&told[round * groups + (group + step) % groups], 1, memory_order_release,
                                  memory_scope_device);
            while (!atomic_load_explicit(&told[round * groups + group], memory_order_acquire, memory_scope_device))
                ;
        }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[(i + n / 2) % n];
}
