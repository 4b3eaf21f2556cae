// Options: --global 4 --local 2 --arg '{1, 2, 3, 4}' --arg local:8 --arg buf:4 --assert 'out[0] == 2 and out[3] == 3'
// Expect: condition holds, race none, divergence none, termination always
kernel void swap(global const int *in, local int *tile, global int *out)
{
    event_t e = async_work_group_copy(tile, in + 2 * get_group_id(0), 2, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[1 - get_local_id(0)];
}
