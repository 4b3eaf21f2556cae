// expect: clean
// run: -g 16 -l 8 -a buf:4096:iota -a buf:8192 --print 1
// Disjoint structures whose positions are read from memory; saved and checked in a loop over their words.
struct large {
    uint words[64];
};
kernel void k(global const struct large *in, global uint *out)
{
    uint i = get_global_id(0);
    struct large l = in[i];
    *(global struct large *)&out[i * (61 + (l.words[0] >> 24))] = l;
}
