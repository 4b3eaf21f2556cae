// Options: --global 2 --arg '{{3, 4}, {0, 2}}' --arg buf:2 --arg buf:2 --assert 'len[0] == 5.0 and unit[1][1] == 1.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void measure(global const float2 *in, global float *len, global float2 *unit)
{
    size_t i = get_global_id(0);
    len[i] = length(in[i]);
    unit[i] = normalize(in[i]);
}
