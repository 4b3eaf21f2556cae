// Options: --global 2 --arg '{-1.5, 2}' --arg buf:2 --assert 'out[0] == 0 and out[1] == 2.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void relu(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    if (in[i] > 0.0f)
        out[i] = in[i];
    else
        out[i] = 0.0f;
}
