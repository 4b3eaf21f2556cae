// expect: data-race
// at: 13 read, 13 write, different groups
// reason: is relaxed and follows no release fence
// run: -g 16 -l 4 -a buf:1 -a buf:1
// A relaxed clear of the flag does not synchronize with the next holder.
kernel void k(global int *counter, global atomic_int *raw)
{
    global atomic_flag *lock = (global atomic_flag *)raw;
    if (get_local_id(0) != 0)
        return;
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
        ;
    *counter += 1;
    atomic_flag_clear_explicit(lock, memory_order_relaxed, memory_scope_device);
}
