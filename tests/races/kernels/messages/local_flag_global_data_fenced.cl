// expect: clean
// run: -g 8 -l 8 -a buf:8 -a buf:1
// Two fences with both flags extend the order to global memory [CL 3.3.6 F7].
kernel void k(global int *out, global int *data)
{
    local atomic_int flag;
    size_t l = get_local_id(0);
    if (l == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else {
        while (!atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        out[l] = *data;
    }
}
