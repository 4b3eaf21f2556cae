// expect: data-race
// at: 10 write, 20 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 4 -l 2 -a buf:2 -a buf:1 -a buf:4
// Published within the group, then to the device without release.
kernel void k(global atomic_int *f, global int *d, global int *o)
{
    int i = get_global_id(0);
    if (i == 0) {
        *d = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_work_group);
    } else if (i == 1) {
        while (!atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group))
            ;
        o[1] = *d;
        atomic_store_explicit(f + 1, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (!atomic_load_explicit(f + 1, memory_order_acquire, memory_scope_device))
            ;
        o[i] = *d;
    }
}
