// Options: --global 2,2 --arg '{1, 2, 3, 4}' --arg buf:4 --assert 'out[1] == 3 and out[2] == 2'
// Expect: condition holds, race none, divergence none, termination always
kernel void transpose(global const int *in, global int *out)
{
    local int tile[2][3];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[2 * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2 * y + x] = tile[x][y];
}
