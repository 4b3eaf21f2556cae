// expect: clean
// run: -g 8 -l 4 -a buf:9:fill=100 -a buf:1
// Shortest paths by atomic minima; the flag is atomic as well.
kernel void k(global atomic_int *distance, global atomic_int *changed)
{
    int i = (int)get_global_id(0);
    if (i == 0)
        atomic_store_explicit(&distance[0], 0, memory_order_relaxed, memory_scope_device);
    for (int round = 0; round < 9; round++) {
        int through = atomic_load_explicit(&distance[i], memory_order_relaxed, memory_scope_device) + 1;
        if (atomic_fetch_min_explicit(&distance[i + 1], through, memory_order_relaxed, memory_scope_device) > through)
            atomic_store_explicit(changed, 1, memory_order_relaxed, memory_scope_device);
    }
}
