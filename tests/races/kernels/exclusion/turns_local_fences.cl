// expect: data-race
// at: 16 read, 16 write, same group
// reason: the release fence at turns_local_fences.cl:17 and the acquire fence at turns_local_fences.cl:15 order local memory only, the accesses are to global memory
// fix: add CLK_GLOBAL_MEM_FENCE to the flags of the fences at turns_local_fences.cl:17 and turns_local_fences.cl:15
// run: -g 8 -l 8 -a buf:1
// A turn variable in local memory with fences of local memory does not order accesses to global memory.
kernel void k(global int *x)
{
    local atomic_int f;
    if (get_local_id(0) == 0)
        atomic_init(&f, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_load_explicit(&f, memory_order_relaxed, memory_scope_work_group) != (int)get_local_id(0))
        ;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    *x += 1;
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
    atomic_store_explicit(&f, get_local_id(0) + 1, memory_order_relaxed, memory_scope_work_group);
}
