// Options: --global 2 --local 1 --arg local:4 --arg buf:1
// Expect: race found
kernel void store(local int *tile, global int *out)
{
    tile[0] = 1;
    event_t e = async_work_group_copy(out, tile, 1, 0);
    wait_group_events(1, &e);
}
