// Options: --global 3 --arg '{3, 4, 5}' --arg buf:3 --arg buf:3 --assert 'in[0] == 3 and in[1] == 7 and in[2] == 12 and ex[0] == 0 and ex[1] == 3 and ex[2] == 7'
// Expect: condition holds, race none, divergence none, termination always
kernel void scan(global const int *a, global int *in, global int *ex)
{
    size_t i = get_global_id(0);
    in[i] = work_group_scan_inclusive_add(a[i]);
    ex[i] = work_group_scan_exclusive_add(a[i]);
}
