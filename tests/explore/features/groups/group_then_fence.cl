// Options: --global 2 --arg buf:2 --arg buf:2 --assert 'out[0] == 2 and out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void ask(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = i + 1;
    int all = work_group_all(1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = all ? a[1 - i] : 0;
}
