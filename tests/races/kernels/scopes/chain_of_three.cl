// expect: clean
// run: -g 12 -l 4 -a buf:1 -a buf:2
// Synchronization is transitive across work-groups.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(&flag[0], 1, memory_order_release, memory_scope_device);
    } else if (i == 4) {
        while (!atomic_load_explicit(&flag[0], memory_order_acquire, memory_scope_device))
            ;
        atomic_store_explicit(&flag[1], 1, memory_order_release, memory_scope_device);
    } else if (i == 8) {
        while (!atomic_load_explicit(&flag[1], memory_order_acquire, memory_scope_device))
            ;
        *data += 1;
    }
}
