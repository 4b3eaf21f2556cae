// expect: clean
// run: -g 16 -l 4 -a buf:4 -a buf:4
// One lock per element, many holders at a time.
kernel void k(global int *bins, global atomic_int *locks)
{
    if (get_local_id(0) != 0)
        return;
    for (int b = 0; b < 4; b++) {
        while (atomic_exchange_explicit(&locks[b], 1, memory_order_acquire, memory_scope_device))
            ;
        bins[b] += b;
        atomic_store_explicit(&locks[b], 0, memory_order_release, memory_scope_device);
    }
}
