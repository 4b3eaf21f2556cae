// Options: --global 2 --arg '{1.75, -2.5}' --arg buf:2 --arg buf:2 --assert 'whole[0] == 1.0 and rest[0] == 0.75 and whole[1] == -2.0 and rest[1] == -0.5'
// Expect: condition holds, race none, divergence none, termination always
kernel void split(global const float *in, global float *whole, global float *rest)
{
    size_t i = get_global_id(0);
    float w;
    rest[i] = modf(in[i], &w);
    whole[i] = w;
}
