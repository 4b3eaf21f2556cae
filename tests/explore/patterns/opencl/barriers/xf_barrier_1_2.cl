// A barrier of all work-groups by flags to and from the first group: two groups of one work-item.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 9 --arg buf:8:zero --arg buf:8:zero --arg buf:8:zero --assert out[0]==3
__kernel void k(__global atomic_int *flag, __global int *in, __global int *out)
{
    int group = get_group_id(0), local_id = get_local_id(0), i = get_global_id(0), sum = 0;

    in[i] = i + 1;
    if (group == 0) {
        if (local_id + 1 < get_num_groups(0))
            while (atomic_load_explicit(&flag[local_id + 1], memory_order_acquire, memory_scope_device) == 0) ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (local_id + 1 < get_num_groups(0))
            atomic_store_explicit(&flag[local_id + 1], 0, memory_order_release, memory_scope_device);
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (local_id == 0) {
            atomic_store_explicit(&flag[group], 1, memory_order_release, memory_scope_device);
            while (atomic_load_explicit(&flag[group], memory_order_acquire, memory_scope_device) == 1) ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    for (int n = 0; n < get_global_size(0); n++)
        sum += in[n];
    out[i] = sum;
}
