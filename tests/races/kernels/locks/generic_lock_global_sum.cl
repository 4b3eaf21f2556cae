// expect: data-race
// at: 25 read, 25 write, same group
// reason: order local memory only
// run: -g 8 -l 8 -a buf:1
// The lock of generic_lock.cl does not protect global memory.
void take(atomic_int *lock)
{
    int zero;
    do
        zero = 0;
    while (!atomic_compare_exchange_weak_explicit(lock, &zero, 1, memory_order_acquire, memory_order_relaxed,
                                                  memory_scope_work_group));
}
void give(atomic_int *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
}
kernel void k(global int *out)
{
    local atomic_int lock;
    if (get_local_id(0) == 0)
        atomic_init(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    take(&lock);
    out[0] += 1;
    give(&lock);
}
