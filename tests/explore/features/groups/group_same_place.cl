// Options: --global 2 --arg '{1, 2}' --arg buf:1
// Expect: race found
kernel void sum(global const int *in, global int *out)
{
    out[0] = work_group_reduce_add(in[get_global_id(0)]);
}
