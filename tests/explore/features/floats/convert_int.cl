// Options: --global 2 --arg '{1.75, -300}' --arg buf:2 --arg buf:2 --assert 'out[0] == 1 and out[1] == -300 and small[1] == -128'
// Expect: condition holds, race none, divergence none, termination always
kernel void convert(global const float *in, global int *out, global char *small)
{
    size_t i = get_global_id(0);
    out[i] = (int)in[i];
    small[i] = convert_char_sat(in[i]);
}
