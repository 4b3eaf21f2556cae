// The counter is relaxed.
// Expect: race found
// Options: --global 3 --local 1 --arg buf:12:zero --arg buf:4:zero --arg buf:4:zero
__kernel void k(__global int *part, __global atomic_int *done, __global int *out)
{
    part[get_group_id(0)] = get_group_id(0) + 1;
    if (atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) == get_num_groups(0) - 1)
        out[0] = part[0] + part[1] + part[2];
}
