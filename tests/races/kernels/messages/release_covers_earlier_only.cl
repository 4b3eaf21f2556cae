// expect: data-race
// at: 12 write, 16 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:2 -a buf:1
// An access after the release is not ordered by it.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        data[1] = 2;
    } else if (i == 4) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 1)
            ;
        data[0] += data[1];
    }
}
