// Options: --global 2 --arg '{1, 2, 3, 4}' --arg local:16 --arg buf:2 --assert 'out[0] == 4 and out[1] == 6'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global const int *in, local int *tile, global int *out)
{
    int s = 0, l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(tile, in, 2, 0);
    for (int t = 0; t < 2; t++) {
        int now = t & 1, next = now ^ 1;
        if (t + 1 < 2)
            e[next] = async_work_group_copy(tile + 2 * next, in + 2 * (t + 1), 2, 0);
        wait_group_events(1, &e[now]);
        s += tile[2 * now + l];
    }
    out[get_global_id(0)] = s;
}
