// expect: clean
// run: -g 16 -l 4 -a buf:1 -a buf:2
// A fair lock: the release store of the next number is acquired by the work-item that holds that ticket.
kernel void k(global int *counter, global atomic_int *lock)
{
    if (get_local_id(0) != 0)
        return;
    int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)
        ;
    *counter += 1;
    atomic_store_explicit(&lock[1], mine + 1, memory_order_release, memory_scope_device);
}
