// Options: --global 1 --arg '{{1, 2, 3, 4}}' --arg buf:1 --assert 'out[0][0] == 4 and out[0][1] == 4 and out[0][2] == 1 and out[0][3] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void mix4(global const int4 *in, global int4 *out)
{
    uint4 mask = (uint4)(3, 3, 0, get_global_size(0));
    out[0] = shuffle(in[0], mask);
}
