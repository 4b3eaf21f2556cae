// Options: --global 2 --arg '{1, 2, 3, 4}' --arg buf:4 --assert 'b[1] == 2.0 and b[2] == 3.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void blur(global const float *a, global float *b)
{
    size_t i = get_global_id(0) + 1;
    b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}
