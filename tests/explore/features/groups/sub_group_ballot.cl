// Options: --global 3 --arg '{1, 0, 1}' --arg buf:3 --arg buf:3 --assert 'out[0] == 5 and out[1] == 5 and before[2] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void vote(global const int *in, global uint *out, global uint *before)
{
    size_t i = get_global_id(0);
    uint4 b = sub_group_ballot(in[i]);
    out[i] = b.x;
    before[i] = sub_group_ballot_exclusive_scan(b);
}
