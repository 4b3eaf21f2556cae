// expect: clean
// run: -g 32 -l 16 -a buf:32:iota -a buf:1 -a buf:32
// One work-item of each sub-group reserves slots for all, and broadcasts the position.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global const int *a, global atomic_int *count, global int *out)
{
    int mine = a[get_global_id(0)], wanted = mine % 3 == 0, first = 0;
    int at = sub_group_scan_exclusive_add(wanted), all = sub_group_reduce_add(wanted);
    if (get_sub_group_local_id() == 0)
        first = atomic_fetch_add_explicit(count, all, memory_order_relaxed, memory_scope_device);
    first = sub_group_broadcast(first, 0);
    if (wanted)
        out[first + at] = mine;
}
