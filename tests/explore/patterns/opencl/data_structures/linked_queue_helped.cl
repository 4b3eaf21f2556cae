// The Michael-Scott queue: one work-item appends a node, the other takes it, and moves the tail if that lags.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --arg buf:2:zero --arg buf:2:zero --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert "(out[0]==0 or out[0]==8) and tail[0]<=1"
__kernel void k(__global int *value, __global atomic_int *next, __global atomic_int *head, __global atomic_int *tail,
                __global int *out)
{
    if (get_group_id(0) == 0) {
        int last = atomic_load_explicit(tail, memory_order_acquire, memory_scope_device), none = 0;

        value[1] = 8;
        if (atomic_compare_exchange_strong_explicit(&next[last], &none, 1, memory_order_release, memory_order_relaxed, memory_scope_device))
            atomic_compare_exchange_strong_explicit(tail, &last, 1, memory_order_release, memory_order_relaxed, memory_scope_device);
    } else {
        int first = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
        int last = atomic_load_explicit(tail, memory_order_acquire, memory_scope_device);
        int node = atomic_load_explicit(&next[first], memory_order_acquire, memory_scope_device);

        if (node && first == last)
            atomic_compare_exchange_strong_explicit(tail, &last, node, memory_order_release, memory_order_relaxed, memory_scope_device);
        if (node) {
            out[0] = value[node];
            atomic_compare_exchange_strong_explicit(head, &first, node, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);
        }
    }
}
