// expect: data-race
// at: 14 read, 14 write, same group
// reason: order local memory only
// run: -g 8 -l 8 -a buf:1
// Local and global happens-before are separate: local locks do not guard global memory [CL 3.3.6 G8-G10].
kernel void k(global int *sum)
{
    local atomic_int lock;
    if (get_local_id(0) == 0)
        atomic_init(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire, memory_scope_work_group))
        ;
    *sum += 1;
    atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_work_group);
}
