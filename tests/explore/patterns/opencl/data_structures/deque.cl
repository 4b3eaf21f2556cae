// A deque of two tasks: its owner takes from the bottom, a thief from the top; no task is taken twice.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:4:zero --arg buf:4:fill=2 --arg buf:8:zero --assert "taken[0]<=1 and taken[1]<=1"
__kernel void k(__global atomic_int *top, __global atomic_int *bottom, __global atomic_int *taken)
{
    if (get_group_id(0) == 0) {
        for (int i = 0; i < 2; i++) {
            int b = atomic_load_explicit(bottom, memory_order_seq_cst, memory_scope_device) - 1, t, last;

            atomic_store_explicit(bottom, b, memory_order_seq_cst, memory_scope_device);
            t = last = atomic_load_explicit(top, memory_order_seq_cst, memory_scope_device);
            if (t < b)
                atomic_fetch_add_explicit(&taken[b], 1, memory_order_relaxed, memory_scope_device);
            if (t == b && atomic_compare_exchange_strong_explicit(top, &last, t + 1, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device))
                atomic_fetch_add_explicit(&taken[b], 1, memory_order_relaxed, memory_scope_device);
            if (t >= b)
                atomic_store_explicit(bottom, b + 1, memory_order_seq_cst, memory_scope_device);
        }
    } else {
        int t = atomic_load_explicit(top, memory_order_seq_cst, memory_scope_device);
        int b = atomic_load_explicit(bottom, memory_order_seq_cst, memory_scope_device);

        if (t < b && atomic_compare_exchange_strong_explicit(top, &t, t + 1, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device))
            atomic_fetch_add_explicit(&taken[t], 1, memory_order_relaxed, memory_scope_device);
    }
}
