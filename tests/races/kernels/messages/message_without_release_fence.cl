// expect: data-race
// at: 10 write, 16 read, different groups
// reason: relaxed and follows no release fence
// run: -g 8 -l 2 -a buf:1 -a buf:1
// An acquire fence alone synchronizes with nothing.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (i == 7) {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0)
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *data += 1;
    }
}
