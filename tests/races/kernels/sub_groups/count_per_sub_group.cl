// expect: clean
// run: -g 32 -l 16 -a buf:1 -a buf:32
// One atomic per sub-group; slots within it by a scan.
kernel void k(global atomic_int *n, global int *out)
{
    int rank = sub_group_scan_exclusive_add(1), all = sub_group_reduce_add(1), first = 0;
    if (get_sub_group_local_id() == 0)
        first = atomic_fetch_add_explicit(n, all, memory_order_relaxed, memory_scope_device);
    first = sub_group_broadcast(first, 0);
    out[first + rank] = (int)get_global_id(0);
}
