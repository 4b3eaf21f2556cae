// expect: data-race
// at: 11 write, 18 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:1 -a buf:1
// One work-group writes without taking the lock.
kernel void k(global int *counter, global atomic_int *lock)
{
    if (get_local_id(0) != 0)
        return;
    if (get_group_id(0) == 3) {
        *counter = 0;
        return;
    }
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
        expected = 0;
    *counter += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
