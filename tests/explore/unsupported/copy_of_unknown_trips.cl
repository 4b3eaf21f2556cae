// Options: --global 1 --arg buf:4 --arg '{1}'
// Error: copy_of_unknown_trips.cl:7:21: an asynchronous copy in a loop of more than 16 iterations, or of unknown trip count, is not explored: let constants and arguments determine the trip count [explore.copy]
kernel void load(global const int *in, global int *count)
{
    local int tile[4];
    for (int i = 0; i < *count; i++) {
        event_t e = async_work_group_copy(tile, in, 4, 0);
        wait_group_events(1, &e);
        atomic_inc(count);
    }
}
