// expect: clean
// run: -g 100 -l 40 -a buf:100:iota -a buf:100 -p o
// Sub-group functions beside local memory; the last sub-groups and the last work-group are smaller.
kernel void k(global const uint *a, global uint *o)
{
    local uint t[40];
    uint l = get_local_id(0), v = a[get_global_id(0)];
    t[l] = sub_group_scan_inclusive_add(v) + sub_group_broadcast(v, 3) + sub_group_shuffle_xor(v, 1) + sub_group_any(v > 40);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0)
        v += t[get_local_size(0) - 1 - l];
    o[get_global_id(0)] = v;
}
