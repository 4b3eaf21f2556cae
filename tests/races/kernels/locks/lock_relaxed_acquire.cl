// expect: data-race
// at: 13 read, 13 write, different groups
// reason: is relaxed
// run: -g 16 -l 4 -a buf:4 -a buf:4
kernel void k(global int *counter, global atomic_int *lock)
{
    if (get_local_id(0) != 0)
        return;
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_device))
        expected = 0;
    *counter += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
