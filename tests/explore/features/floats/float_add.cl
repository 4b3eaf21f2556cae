// Options: --global 2 --arg '{1, 2}' --arg '{0.5, 0.25}' --arg buf:2 --assert 'out[0] == 1.5 and out[1] == 2.25'
// Expect: condition holds, race none, divergence none, termination always
kernel void add(global const float *a, global const float *b, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}
