// expect: clean
// run: -g 16 -l 4 -a buf:16:iota -a buf:4 -a buf:4
// Work-groups pass on their sums with release and acquire at device scope.
kernel void k(global int *a, global int *sums, global atomic_int *ready)
{
    size_t g = get_group_id(0), l = get_local_id(0);
    local int before;
    if (l == 0) {
        int sum = 0;
        for (size_t j = 0; j < 4; j++)
            sum += a[g * 4 + j];
        before = 0;
        if (g) {
            while (!atomic_load_explicit(&ready[g - 1], memory_order_acquire, memory_scope_device))
                ;
            before = sums[g - 1];
        }
        sums[g] = before + sum;
        atomic_store_explicit(&ready[g], 1, memory_order_release, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[g * 4 + l] += before;
}
