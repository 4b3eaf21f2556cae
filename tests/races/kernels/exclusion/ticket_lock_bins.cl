// expect: clean
// run: -g 16 -l 4 -a buf:2 -a buf:4
// A ticket lock for each of two bins.
kernel void k(global int *bins, global atomic_int *locks)
{
    size_t b = get_global_id(0) % 2;
    global atomic_int *next = &locks[2 * b], *serving = next + 1;
    int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)
        ;
    bins[b] += 1;
    atomic_fetch_add_explicit(serving, 1, memory_order_release, memory_scope_device);
}
