// expect: clean
// run: -g 64 -l 64 -a buf:64:iota -a buf:1
// Sums of sub-groups in local memory, then one work-item.
kernel void k(global const int *in, global int *out)
{
    local int sums[64];
    int sum = sub_group_reduce_add(in[get_local_id(0)]);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (uint i = 1; i < get_num_sub_groups(); i++)
            sum += sums[i];
        out[0] = sum;
    }
}
