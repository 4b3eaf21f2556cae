// Options: --global 2 --arg buf:2 --arg buf:2
// Expect: race found
kernel void ask(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = 1;
    work_group_all(1);
    out[i] = a[1 - i];
}
