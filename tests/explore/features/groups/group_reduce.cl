// Options: --global 2 --arg '{3, 4}' --arg buf:2 --assert 'out[0] == 7 and out[1] == 7'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = work_group_reduce_add(in[i]);
}
