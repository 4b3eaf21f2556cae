// expect: clean
// run: -g 4 -l 2 -a buf:1 -a buf:1 -a buf:1
// On a buffer all_svm_devices means device, for a fence as for the load [CL 3.3.5 O10].
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_all_svm_devices);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 2) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
            *out = *data;
    }
}
