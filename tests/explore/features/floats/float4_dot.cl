// Options: --global 2 --arg '{{1, 2, 3, 4}, {0, 1, 0, 1}}' --arg buf:2 --assert 'out[0] == 30.0 and out[1] == 2.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void squares(global const float4 *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = dot(in[i], in[i]);
}
