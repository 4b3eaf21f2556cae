// Options: --global 2 --arg '{1, 2, 3, 4}' --arg local:8 --arg buf:2
// Expect: race found
kernel void sum(global const int *in, local int *tile, global int *out)
{
    int s = 0, l = get_local_id(0);
    for (int t = 0; t < 2; t++) {
        event_t e = async_work_group_copy(tile, in + 2 * t, 2, 0);
        wait_group_events(1, &e);
        s += tile[l];
    }
    out[get_global_id(0)] = s;
}
