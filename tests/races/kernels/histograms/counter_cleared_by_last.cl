// expect: clean
// run: -g 16 -l 4 --repeat 2 -a buf:1 -a buf:16
// The last group to arrive clears the counter for the next launch, which is ordered after this one.
kernel void k(global atomic_int *count, global int *out)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0))
        return;
    int came = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
    out[get_group_id(0)] = came;
    if (came == (int)get_num_groups(0) - 1)
        atomic_store_explicit(count, 0, memory_order_relaxed, memory_scope_device);
}
