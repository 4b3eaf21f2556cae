// expect: clean
// run: -g 8 -l 4 -a svm:16 -a svm:1
// Nodes in shared virtual memory, an index list built with atomics.
kernel void k(global int *next, global atomic_int *head)
{
    int i = (int)get_global_id(0);
    next[i] = atomic_exchange_explicit(head, i, memory_order_relaxed, memory_scope_device);
}
