// The first barrier orders local memory only, so the store before it races with the reads that find the lock
// taken, whatever the last barrier orders.
// Expect: race found, divergence none
// Options: --global 2 --local 2 --arg "{1}" --arg buf:4:zero
kernel void k(global atomic_int *lock, global int *data)
{
    if (get_local_id(0) == 0)
        *(global int *)lock = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(lock, memory_order_acquire, memory_scope_work_group)) ;
        *data = *data + 1;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}
