// expect: data-race
// at: 16 read, 18 write, same group; 18 write, 18 write, same group; 18 write, 19 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:fill=1 -a buf:4
// Plain increments tagged with the writer, retried if another work-item's write came in between.
kernel void k(global const int *in, global uint *out)
{
    local volatile uint h[4];
    uint l = get_local_id(0);
    if (l < 4)
        h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint c, tag = l << 27;
    int b = in[l] & 3;
    for (int t = 0; t < 8; t++) {
        c = h[b] & 0x07ffffffu;
        c = tag | (c + 1);
        h[b] = c;
        if (h[b] == c)
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        out[l] = h[l] & 0x07ffffffu;
}
