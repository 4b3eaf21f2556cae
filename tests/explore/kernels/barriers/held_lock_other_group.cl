// The barrier orders no other work-group: the store before it races with that group's reads of the held lock.
// Expect: race found, divergence none
// Options: --global 2 --local 1 --arg "{1}" --arg buf:4:zero
kernel void k(global atomic_int *lock, global int *data)
{
    if (get_group_id(0) == 0)
        *(global int *)lock = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_group_id(0) == 0)
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    else
        while (atomic_load_explicit(lock, memory_order_acquire, memory_scope_device)) ;
}
