// Options: --global 2 --arg '{1, 2}' --arg local:8
// Error: CLC 6.15.11
kernel void load(global const int *in, local int *tile)
{
    event_t e = async_work_group_copy(tile, in, get_local_id(0) + 1, 0);
    wait_group_events(1, &e);
}
