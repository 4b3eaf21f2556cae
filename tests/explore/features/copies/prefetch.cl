// Options: --global 2 --arg '{1, 2}' --arg buf:2 --assert 'out[1] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void load(global const int *in, global int *out)
{
    prefetch(in, 2);
    out[get_global_id(0)] = in[get_global_id(0)];
}
