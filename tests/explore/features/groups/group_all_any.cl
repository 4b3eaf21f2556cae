// Options: --global 2 --arg '{0, 1}' --arg buf:2 --assert 'out[0] == 2 and out[1] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void ask(global const int *a, global int *out)
{
    size_t i = get_global_id(0);
    int all = work_group_all(a[i]), any = work_group_any(a[i]);
    out[i] = (all ? 1 : 0) + (any ? 2 : 0);
}
