// Options: --global 2 --arg '{1, 2}' --arg buf:2 --assert 'out[0] == 1 and out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void before(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = sub_group_shuffle_up(in[i], 1);
    out[i] = i == 0 ? in[0] : x;
}
