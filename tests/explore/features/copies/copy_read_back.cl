// Options: --global 2 --arg local:8 --arg buf:1 --arg out=buf:2 --assert 'out[0] == 5 and out[1] == 5'
// Expect: condition holds, race none, divergence none, termination always
kernel void read_back(local int *tile, global int *to, global int *out)
{
    tile[get_local_id(0)] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(to, tile, 1, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = to[0]; // the copied value, though no work-item writes it
}
