// Options: --global 2 --arg local:8 --arg buf:2
// Expect: race found
kernel void store(local int *tile, global int *out)
{
    if (get_local_id(0) == 0) {
        tile[0] = 1;
        tile[1] = 2;
    }
    event_t e = async_work_group_copy(out, tile, 2, 0);
    wait_group_events(1, &e);
}
