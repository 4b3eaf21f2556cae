// Sub-group barriers order no other sub-group: the store before them races with reads that find the lock
// taken.
// Expect: race found, divergence none
// Options: --global 2 --local 2 --subgroup 1 --arg "{1}" --arg buf:4:zero
kernel void k(global atomic_int *lock, global int *data)
{
    if (get_local_id(0) == 0)
        *(global int *)lock = 1;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(lock, memory_order_acquire, memory_scope_work_group)) ;
        *data = *data + 1;
    }
}
