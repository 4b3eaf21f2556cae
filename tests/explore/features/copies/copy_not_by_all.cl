// Options: --global 2 --arg '{1, 2}' --arg local:8
// Expect: divergence found
kernel void load(global const int *in, local int *tile)
{
    if (get_local_id(0) == 0) {
        event_t e = async_work_group_copy(tile, in, 2, 0);
        wait_group_events(1, &e);
    }
}
