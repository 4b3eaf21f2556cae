// Options: --global 4 --arg 2.0 --arg '{1, 2, 3, 4}' --arg 'buf:4:fill=1' --assert 'y[3] == 9.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void saxpy(float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    y[i] = mad(a, x[i], y[i]);
}
