// expect: clean
// run: -g 8 -l 8 -a buf:1
// Fences with both flags order global memory by a lock in local memory [CL 3.3.6 F7].
kernel void k(global int *sum)
{
    local atomic_int lock;
    if (get_local_id(0) == 0)
        atomic_init(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed, memory_scope_work_group))
        ;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    *sum += 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
    atomic_store_explicit(&lock, 0, memory_order_relaxed, memory_scope_work_group);
}
