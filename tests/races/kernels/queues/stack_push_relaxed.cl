// expect: data-race
// at: 9 write, 16 read, different groups; 11 write, 15 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 8 -l 1 -a buf:8 -a buf:8 -a buf:1 -a buf:8
// Nodes are pushed and popped with relaxed order.
kernel void k(global int *value, global int *next, global atomic_int *top, global int *out)
{
    int i = (int)get_global_id(0), old = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
    value[i] = i * 3;
    do
        next[i] = old;
    while (!atomic_compare_exchange_strong_explicit(top, &old, i + 1, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_device));
    int sum = 0;
    for (int n = old; n; n = next[n - 1])
        sum += value[n - 1];
    out[i] = sum;
}
