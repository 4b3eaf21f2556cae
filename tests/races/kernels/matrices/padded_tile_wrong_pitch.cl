// expect: data-race
// at: 10 write, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8,8 -l 8,8 -a buf:64:iota -a buf:64
// Rows overlap by one element.
kernel void k(global const int *in, global int *out)
{
    local int tile[8 * 9];
    size_t x = get_local_id(0), y = get_local_id(1);
    tile[y * 7 + x] = in[y * 8 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 8 + x] = tile[x * 7 + y];
}
