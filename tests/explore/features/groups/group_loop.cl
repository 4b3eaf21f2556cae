// Options: --global 2 --arg '{1, 2, 3, 4}' --arg buf:2 --assert 'out[0] == 10 and out[1] == 10'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global const int *in, global int *out)
{
    int s = 0;
    for (int t = 0; t < 2; t++)
        s += work_group_reduce_add(in[2 * t + get_local_id(0)]);
    out[get_global_id(0)] = s;
}
