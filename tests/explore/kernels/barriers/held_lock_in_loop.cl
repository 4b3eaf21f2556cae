// In source order the store precedes the barrier; it executes after one, and races with reads of the held
// lock.
// Expect: race found, divergence none
// Options: --global 2 --local 2 --arg "{1}" --arg buf:4:zero
kernel void k(global atomic_int *lock, global int *data)
{
    for (int i = 0; i < 2; i++) {
        if (i == 1 && get_local_id(0) == 0) {
            *(global int *)lock = 1;
            atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
        } else if (i == 1) {
            while (atomic_load_explicit(lock, memory_order_acquire, memory_scope_work_group)) ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
