// Options: --global 2 --arg '{1, 2}' --arg local:8 --arg buf:2
// Expect: race found
kernel void load(global const int *in, local int *tile, global int *out)
{
    event_t e = async_work_group_copy(tile, in, 2, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0)];
    wait_group_events(1, &e);
}
