// expect: data-race
// at: 9 read, 12 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:1 -a buf:2
// The protected value is read before the lock is taken.
kernel void k(global int *counter, global atomic_int *lock)
{
    int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device),
        old = *counter;
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)
        ;
    *counter = old + 1;
    atomic_store_explicit(&lock[1], mine + 1, memory_order_release, memory_scope_device);
}
