// Options: --global 2 --arg '{5}' --arg buf:2 --assert 'out[0] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void ask(global const int *n, global int *out)
{
    if (n[0] > 3)
        out[get_global_id(0)] = work_group_reduce_add(1);
}
