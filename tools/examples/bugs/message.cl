kernel void message(global int *data, global atomic_int *ready, global int *out)
{
    if (get_group_id(0) == 0 && get_local_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
    }
    if (get_group_id(0) == 1 && get_local_id(0) == 0)
        if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device))
            *out = *data;
}
