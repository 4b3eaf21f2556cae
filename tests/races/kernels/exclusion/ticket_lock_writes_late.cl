// expect: data-race
// at: 11 read, 13 write, different groups or same group; 13 write, 13 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:1 -a buf:2
// The lock is released before the value is written.
kernel void k(global int *counter, global atomic_int *lock)
{
    int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)
        ;
    int old = *counter;
    atomic_store_explicit(&lock[1], mine + 1, memory_order_release, memory_scope_device);
    *counter = old + 1;
}
