// expect: clean
// run: -g 12 -l 4 -a buf:1 -a buf:1
// A barrier, then a release at device scope, which also publishes what the barrier ordered before it.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t l = get_local_id(0), g = get_group_id(0);
    if (g == 0 && l == 3)
        *data = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (g == 0 && l == 0)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    if (g == 2 && l == 1) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *data += 1;
    }
}
