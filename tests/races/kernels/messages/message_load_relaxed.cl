// expect: data-race
// at: 8 write, 12 read, different groups
// reason: is relaxed and no acquire fence follows
// run: -g 8 -l 4 -a buf:4 -a buf:4 -a buf:4
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 4) {
        if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1)
            *out = *data;
    }
}
