// Options: --global 2 --arg '{1, 2}' --arg local:8 --arg buf:2 --assert 'out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
event_t load(local int *tile, global const int *in, size_t n)
{
    return async_work_group_copy(tile, in, n, 0);
}
void done(event_t e)
{
    wait_group_events(1, &e);
}
kernel void reverse(global const int *in, local int *tile, global int *out)
{
    done(load(tile, in, 2));
    out[get_global_id(0)] = tile[1 - get_local_id(0)];
}
