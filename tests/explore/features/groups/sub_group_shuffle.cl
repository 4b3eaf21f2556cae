// Options: --global 2 --arg '{1, 2}' --arg buf:2 --assert 'out[0] == 2 and out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void swap(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = sub_group_shuffle_xor(in[i], 1);
}
