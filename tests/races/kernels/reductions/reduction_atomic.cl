// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:1
// Local tree, then one atomic per work-group.
kernel void k(global const int *in, global atomic_int *out)
{
    local int t[8];
    size_t i = get_local_id(0);
    t[i] = in[get_global_id(0)];
    for (size_t d = 4; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d)
            t[i] += t[i + d];
    }
    if (i == 0)
        atomic_fetch_add_explicit(out, t[0], memory_order_relaxed, memory_scope_device);
}
