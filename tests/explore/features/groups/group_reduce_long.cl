// Options: --global 2 --arg '{0}' --arg buf:2 --assert 'out[0] == 4294967297 and out[1] == 4294967297'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global int *ticket, global long *out)
{
    long mine = ((long)atomic_inc(ticket)) * 0x100000001;
    out[get_global_id(0)] = work_group_reduce_max(mine);
}
