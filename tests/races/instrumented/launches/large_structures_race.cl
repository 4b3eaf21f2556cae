// expect: data-race
// run: -g 16 -l 8 -a buf:4096:iota -a buf:8192 --print 1
// A work-item's structure overlaps the next one by a word.
struct large {
    uint words[64];
};
kernel void k(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    struct large l = *(global const struct large *)&in[i * 64];
    *(global struct large *)&out[i * (60 + (l.words[0] >> 24))] = l;
}
