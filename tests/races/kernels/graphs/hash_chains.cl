// expect: clean
// run: -g 12 -l 1 -a buf:4 -a buf:24 -a buf:12
// As hash_chains_relaxed_walk.cl, with an acquire load: each exchange continues the release sequences of
// those before it, so the walk is ordered after all nodes of the chain.
kernel void k(global atomic_int *heads, global int *nodes, global int *found)
{
    int i = (int)get_global_id(0), bin = i & 3;
    nodes[2 * i] = i * i;
    int first = atomic_load_explicit(&heads[bin], memory_order_relaxed, memory_scope_device);
    do
        nodes[2 * i + 1] = first;
    while (!atomic_compare_exchange_weak_explicit(&heads[bin], &first, i + 1, memory_order_release,
                                                  memory_order_relaxed, memory_scope_device));
    int sum = 0;
    for (int n = atomic_load_explicit(&heads[bin], memory_order_acquire, memory_scope_device); n; n = nodes[2 * n - 1])
        sum += nodes[2 * n - 2];
    found[i] = sum;
}
