// The last work-group to arrive, which a counter identifies, reads what all groups wrote.
// Expect: condition holds, race none
// Options: --global 3 --local 1 --arg buf:12:zero --arg buf:4:zero --arg buf:4:zero --assert out[0]==6
__kernel void k(__global int *part, __global atomic_int *done, __global int *out)
{
    __local int last;

    part[get_group_id(0)] = get_group_id(0) + 1;
    if (get_local_id(0) == 0)
        last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && get_local_id(0) == 0)
        out[0] = part[0] + part[1] + part[2];
}
