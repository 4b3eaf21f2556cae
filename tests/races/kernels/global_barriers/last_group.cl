// expect: clean
// run: -g 16 -l 4 -a buf:16 -a buf:4 -a buf:16
kernel void k(global int *part, global atomic_int *count, global int *out)
{
    local int last;
    size_t g = get_group_id(0);
    if (get_local_id(0) == 0) {
        part[g] = (int)g;
        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == (int)get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && get_local_id(0) < get_num_groups(0))
        out[get_local_id(0)] = part[get_local_id(0)];
}
