// Options: --global 2 --arg '{3, 4}' --arg buf:8
// Expect: condition holds, race none, divergence none, termination always
kernel void compact(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int at = work_group_scan_exclusive_add(in[i]);
    out[at] = in[i];
}
