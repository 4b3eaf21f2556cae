// expect: clean
// run: -g 8 -l 8 -a buf:1
// A lock in local memory through generic pointers.
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
    local int sum;
    if (get_local_id(0) == 0) {
        atomic_init(&lock, 0);
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    take(&lock);
    sum += 1;
    give(&lock);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = sum;
}
