// Options: --global 4 --subgroup 2 --arg '{1, 2, 3, 4}' --arg buf:4 --assert 'out[0] == 3 and out[1] == 3 and out[2] == 7 and out[3] == 7'
// Expect: condition holds, race none, divergence none, termination always, sub_group_size 2
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sum(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = sub_group_reduce_add(in[i]);
}
