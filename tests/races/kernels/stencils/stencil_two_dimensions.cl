// expect: clean
// run: -g 8,8 -l 4,4 -a buf:64:iota -a buf:64
// A tile with its border, read by the whole group.
kernel void k(global const int *t, global int *o)
{
    local int s[6][6];
    int lx = get_local_id(0), ly = get_local_id(1), bx = get_group_id(0) * 4 - 1,
        by = get_group_id(1) * 4 - 1;
    for (int y = ly; y < 6; y += 4)
        for (int x = lx; x < 6; x += 4) {
            int gx = clamp(bx + x, 0, 7), gy = clamp(by + y, 0, 7);
            s[y][x] = t[gy * 8 + gx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(1) * 8 + get_global_id(0)] =
        s[ly][lx + 1] + s[ly + 2][lx + 1] + s[ly + 1][lx] + s[ly + 1][lx + 2];
}
