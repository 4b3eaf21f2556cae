// Options: --global 1 --arg '{0}' --arg buf:4 --assert 'out[0] == 0 and out[1] == 1 and out[2] == 1 and out[3] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void compare(global const float *in, global int *out)
{
    float n = in[0] / in[0];
    out[0] = n == n;
    out[1] = n != n;
    out[2] = isnan(n);
    out[3] = !(n < 1.0f);
}
