// expect: clean
// run: -g 4 -l 2 -a buf:5:fill=-1 -a buf:4 -a buf:1
// One neighbor claims the vertex and a slot of the next frontier.
kernel void k(global atomic_int *level, global int *frontier, global atomic_int *tail)
{
    int none = -1;
    if (atomic_compare_exchange_strong_explicit(&level[4], &none, 1, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device))
        frontier[atomic_fetch_add_explicit(tail, 1, memory_order_relaxed, memory_scope_device)] = 4;
}
