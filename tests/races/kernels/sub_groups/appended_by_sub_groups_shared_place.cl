// expect: data-race
// at: 13 write, 15 read, same group
// reason: no synchronization orders the two accesses
// run: -g 32 -l 16 -a buf:32:iota -a buf:1 -a buf:32
// The position is passed through local memory without a barrier of the sub-group.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global const int *a, global atomic_int *count, global int *out)
{
    local int first[16];
    int mine = a[get_global_id(0)], wanted = mine % 3 == 0;
    int at = sub_group_scan_exclusive_add(wanted), all = sub_group_reduce_add(wanted);
    if (get_sub_group_local_id() == 0)
        first[get_sub_group_id()] = atomic_fetch_add_explicit(count, all, memory_order_relaxed, memory_scope_device);
    if (wanted)
        out[first[get_sub_group_id()] + at] = mine;
}
