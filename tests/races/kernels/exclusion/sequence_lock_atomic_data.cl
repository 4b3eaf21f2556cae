// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:2 -a buf:2
// With relaxed atomics as data the sequence lock has no data race.
kernel void k(global atomic_int *sequence, global atomic_int *data, global int *out)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        for (int n = 0; n < 4; n++) {
            atomic_fetch_add_explicit(sequence, 1, memory_order_acq_rel, memory_scope_device);
            atomic_store_explicit(&data[0], n, memory_order_relaxed, memory_scope_device);
            atomic_store_explicit(&data[1], n, memory_order_relaxed, memory_scope_device);
            atomic_fetch_add_explicit(sequence, 1, memory_order_release, memory_scope_device);
        }
    } else if (i == 4) {
        int before, after;
        do {
            before = atomic_load_explicit(sequence, memory_order_acquire, memory_scope_device);
            out[0] = atomic_load_explicit(&data[0], memory_order_relaxed, memory_scope_device);
            out[1] = atomic_load_explicit(&data[1], memory_order_relaxed, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            after = atomic_load_explicit(sequence, memory_order_relaxed, memory_scope_device);
        } while (before != after || before % 2);
    }
}
