// expect: clean
// run: -g 8,8 -l 4,4 -a buf:256:iota -a buf:256
kernel void k(global int *in, global int *out)
{
    local int tile[4][5];
    size_t x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * 8 + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 4 + y) * 8 + get_group_id(1) * 4 + x] = tile[x][y];
}
