// As stack_pushed_again.cl, but the successor is not atomic.
// Expect: race found, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:2:zero --arg buf:1:fill=1 --assert "top[0]<=1"
__kernel void k(__global int *next, __global atomic_int *top)
{
    int node = atomic_load_explicit(top, memory_order_acquire, memory_scope_device), under;

    if (!node)
        return;
    under = next[node];
    if (!atomic_compare_exchange_strong_explicit(top, &node, under, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        return;
    if (get_group_id(0) == 0) {
        under = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
        do
            next[node] = under;
        while (!atomic_compare_exchange_strong_explicit(top, &under, node, memory_order_release, memory_order_relaxed, memory_scope_device));
    }
}
