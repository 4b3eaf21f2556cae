// expect: clean
// run: -g 72 -l 16 -a buf:72:iota -a buf:72 -p o
// Work-group functions beside local memory; the last work-group is smaller.
kernel void k(global const uint *a, global uint *o)
{
    local uint t[16];
    uint l = get_local_id(0), v = a[get_global_id(0)];
    t[l] = work_group_scan_inclusive_add(v);
    barrier(CLK_LOCAL_MEM_FENCE);
    v += work_group_reduce_max(v) + work_group_broadcast(v, 5) + t[get_local_size(0) - 1 - l];
    int any = work_group_any(v > 100), all = work_group_all(v > 3);
    o[get_global_id(0)] = v + any + 2 * all;
}
