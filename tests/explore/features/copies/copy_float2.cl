// Options: --global 1 --arg '{{1, 2.5}}' --arg local:8 --arg buf:1 --assert 'out[0] == 3.5'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global const float2 *in, local float2 *tile, global float *out)
{
    event_t e = async_work_group_copy(tile, in, 1, 0);
    wait_group_events(1, &e);
    out[0] = tile[0].x + tile[0].y;
}
