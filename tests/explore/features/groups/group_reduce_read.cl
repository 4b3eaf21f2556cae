// Options: --global 2 --arg '{0}' --arg buf:2 --assert 'out[0] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global int *ticket, global int *out)
{
    int mine = atomic_inc(ticket);
    out[get_global_id(0)] = work_group_reduce_add(mine);
}
