// expect: clean
// run: -g 8 -l 8 -a buf:1
// A lock in local memory that guards local memory.
kernel void k(global int *out)
{
    local atomic_int lock;
    local int sum;
    if (get_local_id(0) == 0) {
        atomic_init(&lock, 0);
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire, memory_scope_work_group))
        ;
    sum += 1;
    atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = sum;
}
