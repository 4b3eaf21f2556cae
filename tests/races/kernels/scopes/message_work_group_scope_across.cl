// expect: scope-race
// at: 9 atomic-write, 11 atomic-read, different groups; data-race 8 write, 12 read, different groups
// reason: both atomics have scope work_group, but the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:4 -a buf:4 -a buf:4
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_global_id(0) == 4) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 1)
            *out = *data;
    }
}
