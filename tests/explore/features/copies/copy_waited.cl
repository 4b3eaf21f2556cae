// Options: --global 2 --arg '{1, 2, 3, 4}' --arg local:16 --arg buf:2 --assert 'out[0] == 4 and out[1] == 3'
// Expect: condition holds, race none, divergence none, termination always
kernel void load(global const int *in, local int *tile, global int *out)
{
    event_t e = async_work_group_copy(tile, in, 4, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[3 - get_local_id(0)];
}
