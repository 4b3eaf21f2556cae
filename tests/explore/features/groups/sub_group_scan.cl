// Options: --global 4 --subgroup 2 --arg '{1, 2, 3, 4}' --arg buf:4 --assert 'out[0] == 1 and out[1] == 3 and out[2] == 3 and out[3] == 7'
// Expect: condition holds, race none, divergence none, termination always
kernel void scan(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = sub_group_scan_inclusive_add(in[i]);
}
