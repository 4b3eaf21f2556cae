// expect: data-race
// at: 10 write, 11 atomic-rmw, same group
// reason: no synchronization orders the two accesses
// run: -g 32 -l 8 -a buf:32:rand=9 -a buf:8
// No barrier between clearing and counting.
kernel void k(global const uint *in, global atomic_int *bins)
{
    local int t[8];
    size_t l = get_local_id(0);
    t[l] = 0;
    atomic_inc(&t[in[get_global_id(0)] % 8]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&bins[l], t[l], memory_order_relaxed, memory_scope_device);
}
