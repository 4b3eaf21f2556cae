// expect: clean
// run: -g 16 -l 4 -a buf:1 -a buf:1 -a buf:4
// Double-checked initialization with an acquire load in the first check.
kernel void k(global int *table, global atomic_int *state, global int *out)
{
    if (get_local_id(0))
        return;
    if (atomic_load_explicit(state, memory_order_acquire, memory_scope_device) != 2) {
        int idle = 0;
        if (atomic_compare_exchange_strong_explicit(state, &idle, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device)) {
            *table = 42;
            atomic_store_explicit(state, 2, memory_order_release, memory_scope_device);
        }
        while (atomic_load_explicit(state, memory_order_acquire, memory_scope_device) != 2)
            ;
    }
    out[get_group_id(0)] = *table;
}
