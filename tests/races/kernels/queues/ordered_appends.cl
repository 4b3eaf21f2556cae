// expect: clean
// run: -g 12 -l 4 -a buf:12:iota -a buf:1 -a buf:13
// Groups append in order: each waits for its turn, with which it receives the position.
kernel void k(global const int *a, global atomic_int *turn, global int *out)
{
    local int start;
    int group = (int)get_group_id(0), i = (int)get_local_id(0), mine = a[get_global_id(0)], keep = mine % 2 == 0;
    int at = work_group_scan_exclusive_add(keep), all = work_group_reduce_add(keep);
    if (i == 0) {
        int seen;
        while ((seen = atomic_load_explicit(turn, memory_order_acquire, memory_scope_device)) >> 16 != group)
            ;
        start = seen & 0xffff;
        atomic_store_explicit(turn, ((group + 1) << 16) | (start + all), memory_order_release, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep)
        out[start + at] = mine;
}
