// Options: --global 2 --arg '{0}' --arg buf:2
// Expect: divergence found
kernel void ask(global int *ticket, global int *out)
{
    if (atomic_inc(ticket) == 0)
        out[get_global_id(0)] = work_group_reduce_add(1);
}
