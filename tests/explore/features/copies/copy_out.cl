// Options: --global 2 --arg local:8 --arg buf:2 --assert 'out[0] == 1 and out[1] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void store(local int *tile, global int *out)
{
    tile[get_local_id(0)] = get_local_id(0) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, tile, 2, 0);
    wait_group_events(1, &e);
}
