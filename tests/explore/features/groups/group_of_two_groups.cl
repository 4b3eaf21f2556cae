// Options: --global 4 --local 2 --arg '{1, 2, 3, 4}' --arg buf:2 --assert 'out[0] == 3 and out[1] == 7'
// Expect: condition holds, race none, divergence none, termination always
kernel void sum(global const int *in, global int *out)
{
    int s = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = s;
}
