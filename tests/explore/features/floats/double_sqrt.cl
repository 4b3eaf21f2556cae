// Options: --global 2 --arg '{9, 2}' --arg buf:2 --assert 'out[0] == 3.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void root(global const double *in, global double *out)
{
    size_t i = get_global_id(0);
    out[i] = sqrt(in[i]) + sin(0.0) + fmax(0.0, -1.0);
}
