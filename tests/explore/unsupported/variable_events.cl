// Options: --global 1 --arg buf:4 --arg '{1}'
// Error: variable_events.cl:9:5: wait_group_events for a variable number of events, or more than 64, is not explored: wait with a constant number [explore.copy]
kernel void load(global const int *in, global int *count)
{
    local int tile[4];
    event_t e[2];
    e[0] = async_work_group_copy(tile, in, 2, 0);
    e[1] = async_work_group_copy(tile + 2, in + 2, 2, 0);
    wait_group_events(atomic_inc(count), e);
}
