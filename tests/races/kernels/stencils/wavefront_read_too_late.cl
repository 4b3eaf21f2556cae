// expect: data-race
// at: 12 write, 15 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 2 -a buf:8 -a buf:8 -a buf:8
// After its release a work-item reads what the next one writes.
kernel void k(global int *data, global atomic_int *ready, global int *out)
{
    int i = (int)get_global_id(0);
    if (i > 0)
        while (!atomic_load_explicit(&ready[i - 1], memory_order_acquire, memory_scope_device))
            ;
    data[i] = i;
    atomic_store_explicit(&ready[i], 1, memory_order_release, memory_scope_device);
    if (i < 7)
        out[i] = data[i + 1];
}
