// expect: data-race
// at: 14 read, 14 write, different groups
// reason: no synchronization orders the two accesses
// run: -g 4 -l 1 -a buf:1 -a buf:1
// A work-item that fails to get the lock continues without it.
kernel void k(global atomic_int *lock, global int *sum)
{
    int got = 0;
    for (int n = 0; n < 3 && !got; n++) {
        int expected = 0;
        got = atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                      memory_scope_device);
    }
    *sum += 1;
    if (got && get_global_id(0) != 0)
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
