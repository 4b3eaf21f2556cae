kernel void scopes(global int *x, global atomic_int *f, global int *o)
{
    if (get_global_id(0) == 0) {
        *x = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(f, memory_order_acquire, memory_scope_all_svm_devices)) {
        *o = *x;
    }
}
