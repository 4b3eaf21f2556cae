// expect: clean
// run: -g 32 -l 8 -a buf:32:rand=9 -a buf:8
// Clear, count in local memory, merge, with barriers in between.
kernel void k(global const uint *in, global atomic_int *bins)
{
    local atomic_int t[8];
    size_t l = get_local_id(0);
    atomic_init(&t[l], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&t[in[get_global_id(0)] % 8], 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    int n = atomic_load_explicit(&t[l], memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(&bins[l], n, memory_order_relaxed, memory_scope_device);
}
