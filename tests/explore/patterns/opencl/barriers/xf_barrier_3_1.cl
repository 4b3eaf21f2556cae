// A barrier of three work-groups of one work-item: the first reads the flags of the others, then releases
// them.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:12:zero --arg buf:12:zero --arg buf:12:zero --assert "sum[0]==2 and sum[1]==2 and sum[2]==2"
__kernel void k(__global atomic_int *flag, __global int *data, __global int *sum)
{
    int me = get_group_id(0), n = get_num_groups(0);

    data[me] = 1;
    if (me == 0) {
        for (int g = 1; g < n; g++) {
            while (atomic_load_explicit(&flag[g], memory_order_acquire, memory_scope_device) == 0)
                ;
        }
        for (int g = 1; g < n; g++)
            atomic_store_explicit(&flag[g], 0, memory_order_release, memory_scope_device);
    } else {
        atomic_store_explicit(&flag[me], 1, memory_order_release, memory_scope_device);
        while (atomic_load_explicit(&flag[me], memory_order_acquire, memory_scope_device) == 1)
            ;
    }
    sum[me] = data[(me + 1) % n] + data[(me + 2) % n];
}
