// Options: --global 2 --arg buf:2 --arg buf:2
// Expect: condition unknown, race none, divergence none, termination always, flags out_of_bounds
kernel void load(global const int *in, global int *out)
{
    local int tile[16];
    event_t e = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = tile[get_local_id(0)];
}
