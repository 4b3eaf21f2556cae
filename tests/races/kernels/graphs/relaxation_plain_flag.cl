// expect: data-race
// kind: uniform-write
// at: 14 write, 14 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:9:fill=100 -a buf:1
// All work-items that change a distance set the flag by plain writes.
kernel void k(global atomic_int *distance, global int *changed)
{
    int i = (int)get_global_id(0);
    if (i == 0)
        atomic_store_explicit(&distance[0], 0, memory_order_relaxed, memory_scope_device);
    int through = i + 1;
    if (atomic_fetch_min_explicit(&distance[i + 1], through, memory_order_relaxed, memory_scope_device) > through)
        *changed = 1;
}
