// expect: data-race
// at: 13 write, 20 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 8 -l 4 -a buf:4 -a buf:2 -a buf:16
// The consumer frees a slot with a relaxed store, so its read races with the producer's next write.
kernel void k(global int *slots, global atomic_int *ends, global int *out)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        for (int n = 0; n < 16; n++) {
            while (n - atomic_load_explicit(&ends[1], memory_order_acquire, memory_scope_device) == 4)
                ;
            slots[n % 4] = n * n;
            atomic_store_explicit(&ends[0], n + 1, memory_order_release, memory_scope_device);
        }
    } else if (i == 4) {
        for (int n = 0; n < 16; n++) {
            while (atomic_load_explicit(&ends[0], memory_order_acquire, memory_scope_device) == n)
                ;
            out[n] = slots[n % 4];
            atomic_store_explicit(&ends[1], n + 1, memory_order_relaxed, memory_scope_device);
        }
    }
}
