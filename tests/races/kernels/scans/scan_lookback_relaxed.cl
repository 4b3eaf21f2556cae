// expect: data-race
// at: 14 read, 16 write, different groups
// reason: is relaxed and follows no release fence
// run: -g 16 -l 4 -a buf:16:iota -a buf:4 -a buf:4
// The flags are relaxed.
kernel void k(global int *a, global int *sums, global atomic_int *ready)
{
    size_t g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int before = 0;
        if (g) {
            while (!atomic_load_explicit(&ready[g - 1], memory_order_relaxed, memory_scope_device))
                ;
            before = sums[g - 1];
        }
        sums[g] = before + a[g * 4];
        atomic_store_explicit(&ready[g], 1, memory_order_relaxed, memory_scope_device);
    }
}
