// expect: scope-race
// at: 10 atomic-write, 12 atomic-read, different groups; data-race 9 write, 14 read, different groups
// reason: the atomics have scopes work_group and all_svm_devices, which are not inclusive of each other
// run: -g 8 -l 4 -a buf:1 -a svm:1 -a buf:1
// Release at work-group scope, acquire at all-devices scope: the first does not include the second's agent.
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_global_id(0) == 4) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices))
            ;
        *out = *data;
    }
}
