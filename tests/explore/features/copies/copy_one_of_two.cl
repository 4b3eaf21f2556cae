// Options: --global 2 --arg '{1, 2}' --arg '{3, 4}' --arg local:8 --arg local:8 --arg buf:2
// Expect: race found
kernel void load(global const int *a, global const int *b, local int *x, local int *y, global int *out)
{
    event_t e = async_work_group_copy(x, a, 2, 0);
    event_t f = async_work_group_copy(y, b, 2, 0);
    wait_group_events(1, &e);
    int l = get_local_id(0);
    out[get_global_id(0)] = x[l] + y[l];
    wait_group_events(1, &f);
}
