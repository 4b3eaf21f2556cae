// Options: --global 2 --arg buf:2
// Expect: divergence found
kernel void ask(global int *out)
{
    if (get_local_id(0) == 0)
        out[0] = work_group_reduce_add(1);
}
