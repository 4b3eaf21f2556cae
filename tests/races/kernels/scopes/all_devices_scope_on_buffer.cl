// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:1 -a buf:1
// On a buffer all_svm_devices means device [CL 3.3.5 O10].
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_all_svm_devices);
    } else if (get_global_id(0) == 4) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}
