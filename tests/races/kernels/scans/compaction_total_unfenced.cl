// expect: data-race
// at: 12 write, 13 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a buf:2
// The last work-item writes the total to local memory, and all read it without a barrier.
kernel void k(global const int *in, global int *out, global int *totals)
{
    local int total;
    int v = in[get_global_id(0)], keep = v % 3 == 0;
    int slot = work_group_scan_exclusive_add(keep);
    if (get_local_id(0) == get_local_size(0) - 1)
        total = slot + keep;
    if (slot < total && keep)
        out[get_group_id(0) * get_local_size(0) + slot] = v;
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = slot;
}
