// expect: clean
// run: -g 8 -l 4 -a buf:9:iota
// Connected components with relaxed loads.
int find(global atomic_int *parent, int x)
{
    int p;
    while ((p = atomic_load_explicit(&parent[x], memory_order_relaxed, memory_scope_device)) != x)
        x = p;
    return x;
}
kernel void k(global atomic_int *parent)
{
    int x = (int)get_global_id(0), a = x, b = x + 1, high;
    do {
        a = find(parent, a);
        b = find(parent, b);
        high = max(a, b);
    } while (a != b && !atomic_compare_exchange_strong_explicit(&parent[high], &high, min(a, b), memory_order_relaxed,
                                                                memory_order_relaxed, memory_scope_device));
}
