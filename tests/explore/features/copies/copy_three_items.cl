// Options: --global 3 --arg '{1, 2, 3}' --arg local:12 --arg buf:3 --assert 'out[0] == 3 and out[2] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void reverse(global const int *in, local int *tile, global int *out)
{
    event_t e = async_work_group_copy(tile, in, 3, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[2 - get_local_id(0)];
}
