// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a buf:1
// Slots by a scan of the group, a range of the output by one atomic per group.
kernel void k(global const int *in, global int *out, global atomic_int *n)
{
    int v = in[get_global_id(0)], keep = v % 3 == 0, base = 0;
    int slot = work_group_scan_exclusive_add(keep), all = work_group_reduce_add(keep);
    if (get_local_id(0) == 0)
        base = atomic_fetch_add_explicit(n, all, memory_order_relaxed, memory_scope_device);
    base = work_group_broadcast(base, 0);
    if (keep)
        out[base + slot] = v;
}
