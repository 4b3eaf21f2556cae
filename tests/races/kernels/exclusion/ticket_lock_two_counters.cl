// expect: data-race
// at: 12 read, 12 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:1 -a buf:4
// Each group has its own ticket lock, but both write one counter.
kernel void k(global int *counter, global atomic_int *lock)
{
    global atomic_int *next = &lock[2 * get_group_id(0)], *serving = next + 1;
    int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)
        ;
    *counter += 1;
    atomic_store_explicit(serving, mine + 1, memory_order_release, memory_scope_device);
}
