// Options: --global 2 --arg '{0}' --arg buf:2
// Error: explore.group
kernel void some(global int *ticket, global int *out)
{
    if (atomic_inc(ticket) == 0)
        out[0] = sub_group_non_uniform_reduce_add(1);
}
