// expect: clean
// run: -g 8 -l 2 -a buf:8 -a buf:8
// A wait for the neighbor orders all work-items before it, too: happens-before is transitive.
kernel void k(global int *data, global atomic_int *ready)
{
    int i = (int)get_global_id(0), sum = 1;
    if (i > 0)
        while (!atomic_load_explicit(&ready[i - 1], memory_order_acquire, memory_scope_device))
            ;
    for (int j = 0; j < i; j++)
        sum += data[j];
    data[i] = sum;
    atomic_store_explicit(&ready[i], 1, memory_order_release, memory_scope_device);
}
