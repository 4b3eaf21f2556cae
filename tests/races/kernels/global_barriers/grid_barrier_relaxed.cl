// expect: data-race
// at: 9 write, 17 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:16 -a buf:1 -a buf:16
// The counter is relaxed.
kernel void k(global int *a, global atomic_int *arrived, global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed, memory_scope_device);
        while (atomic_load_explicit(arrived, memory_order_relaxed, memory_scope_device) < (int)get_num_groups(0))
            ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[n - 1 - i];
}
