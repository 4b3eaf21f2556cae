// expect: clean
// run: -g 8 -l 2 -a buf:1 -a buf:1
// A release fence before a relaxed RMW synchronizes with an acquire fence after another one [CL 3.3.6 F1].
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_fetch_add_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (i == 7) {
        while (atomic_fetch_add_explicit(flag, 0, memory_order_relaxed, memory_scope_device) == 0)
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *data += 1;
    }
}
