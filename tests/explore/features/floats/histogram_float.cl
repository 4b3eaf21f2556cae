// Options: --global 4 --arg '{0.1, 0.9, 0.6, 0.2}' --arg buf:2 --assert 'bins[0] == 2 and bins[1] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void histogram(global const float *in, global int *bins)
{
    atomic_add(&bins[(int)(in[get_global_id(0)] * 2.0f)], 1);
}
