// expect: clean
// run: -g 12 -l 4 -a buf:1 -a buf:2 -a buf:1
// A relaxed exchange by another work-item continues the release sequence.
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    size_t g = get_global_id(0);
    if (g == 0) {
        *data = 7;
        atomic_store_explicit(&flag[0], 1, memory_order_release, memory_scope_device);
    } else if (g == 4) {
        while (!atomic_load_explicit(&flag[0], memory_order_relaxed, memory_scope_device))
            ;
        atomic_exchange_explicit(&flag[0], 2, memory_order_relaxed, memory_scope_device);
    } else if (g == 8) {
        while (atomic_load_explicit(&flag[0], memory_order_acquire, memory_scope_device) != 2)
            ;
        *out = *data;
    }
}
