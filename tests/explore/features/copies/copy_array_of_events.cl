// Options: --global 2 --arg '{1, 2}' --arg '{3, 4}' --arg local:8 --arg local:8 --arg buf:2 --assert 'out[0] == 4 and out[1] == 6'
// Expect: condition holds, race none, divergence none, termination always
kernel void load(global const int *a, global const int *b, local int *x, local int *y, global int *out)
{
    event_t e[2];
    e[0] = async_work_group_copy(x, a, 2, 0);
    e[1] = async_work_group_copy(y, b, 2, 0);
    wait_group_events(2, e);
    int l = get_local_id(0);
    out[get_global_id(0)] = x[l] + y[l];
}
