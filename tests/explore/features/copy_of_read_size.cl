// Options: --global 2 --arg '{1, 2}' --arg local:8 --arg '{1}'
// Error: explore.copy
kernel void load(global const int *in, local int *tile, global int *n)
{
    event_t e = async_work_group_copy(tile, in, n[0], 0);
    wait_group_events(1, &e);
    n[0] = 2;
}
