// expect: data-race
// at: 9 write, 15 read, different groups
// reason: the release fence at fences_local_flag.cl:10 fences local memory only and the atomic write at fences_local_flag.cl:11 is to global memory
// fix: add CLK_GLOBAL_MEM_FENCE to the flags of the fences at fences_local_flag.cl:10 and fences_local_flag.cl:14
// run: -g 8 -l 4 -a buf:4 -a buf:4 -a buf:4
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 4) {
        if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            *out = *data;
        }
    }
}
