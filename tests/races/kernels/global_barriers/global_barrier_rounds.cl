// expect: clean
// run: -g 8 -l 2 -a buf:2 -a buf:8 -a buf:8
// A barrier of all groups that is used several times.
#define ALL memory_scope_device
kernel void k(global atomic_int *b, global int *a, global int *o)
{
    int i = get_global_id(0), n = get_global_size(0), l = get_local_id(0), G = get_num_groups(0);
    for (int r = 0; r < 3; r++) {
        if (r & 1)
            a[i] = o[(i + 1) % n];
        else
            o[i] = a[(i + 3) % n] + i;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) {
            if (atomic_fetch_add_explicit(&b[0], 1, memory_order_acq_rel, ALL) == G - 1) {
                atomic_store_explicit(&b[0], 0, memory_order_relaxed, ALL);
                atomic_store_explicit(&b[1], r + 1, memory_order_release, ALL);
            } else
                while (atomic_load_explicit(&b[1], memory_order_acquire, ALL) != r + 1)
                    ;
        }
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
