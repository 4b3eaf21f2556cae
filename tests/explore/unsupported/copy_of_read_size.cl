// Options: --global 1 --arg buf:4 --arg '{1}'
// Error: copy_of_read_size.cl:6:17: an asynchronous copy, or a wait, whose operands depend on values read is not explored: let constants and arguments determine pointers, sizes and events, or copy by loads and stores [explore.copy]
kernel void load(global const int *in, global int *count)
{
    local int tile[4];
    event_t e = async_work_group_copy(tile, in, atomic_inc(count), 0);
    wait_group_events(1, &e);
}
