// expect: data-race
// at: 10 write, 19 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 12 -l 4 -a buf:1 -a buf:1
// An atomic store by another work-item ends the release sequence [CL 3.3.6 G7].
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (i == 4) {
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) != 1)
            ;
        atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
    } else if (i == 8) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 2)
            ;
        *data += 1;
    }
}
