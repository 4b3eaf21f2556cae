// Options: --global 2 --arg '{1, 2, 3, 4}' --arg local:8 --arg buf:2 --assert 'out[0] == 1 and out[1] == 3'
// Expect: condition holds, race none, divergence none, termination always
kernel void load(global const int *in, local int *tile, global int *out)
{
    event_t e = async_work_group_strided_copy(tile, in, 2, 2, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
