// Options: --global 3 --arg '{3, 4, 5}' --arg buf:3 --assert 'out[0] == 4 and out[2] == 4'
// Expect: condition holds, race none, divergence none, termination always
kernel void spread(global const int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = work_group_broadcast(a[i], 1);
}
