// Options: --global 2 --subgroup 32 --arg buf:3 --arg buf:1 --assert 'out[0] == 31 and out[1] == 3 and out[2] == 0 and size[0] == 2'
// Expect: condition holds, race none, divergence none, termination always
// A partial sub-group of two work-items: bit 31 is counted as well. [CLC 6.15.20.1]
kernel void bits(global uint *out, global uint *size)
{
    uint4 b = (uint4)(0x80000003u, 0, 0, 0);
    uint msb = sub_group_ballot_find_msb(b), count = sub_group_ballot_bit_count(b), lsb = sub_group_ballot_find_lsb(b);
    if (get_global_id(0) == 0) {
        out[0] = msb;
        out[1] = count;
        out[2] = lsb;
        size[0] = get_sub_group_size();
    }
}
