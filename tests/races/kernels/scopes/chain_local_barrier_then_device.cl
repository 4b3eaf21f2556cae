// expect: data-race
// at: 10 write, 17 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 12 -l 4 -a buf:1 -a buf:1
// The barrier fences local memory only, so the release does not publish the other work-item's global writes.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t l = get_local_id(0), g = get_group_id(0);
    if (g == 0 && l == 3)
        *data = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g == 0 && l == 0)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    if (g == 2 && l == 1) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *data += 1;
    }
}
