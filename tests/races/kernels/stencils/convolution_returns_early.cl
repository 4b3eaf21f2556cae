// expect: barrier-divergence
// at: 17
// run: -g 8,8 -l 4,4 -a buf:64:iota -a buf:64 -a 7 -a 7
// Work-items outside of the image return before the barrier of the others [CLC 6.15.8].
#define R 1
#define T 4
kernel void k(global const int *from, global int *to, int width, int height)
{
    local int tile[T + 2 * R][T + 2 * R];
    int gx = (int)get_global_id(0), gy = (int)get_global_id(1);
    int x0 = (int)get_group_id(0) * T - R, y0 = (int)get_group_id(1) * T - R;
    if (gx >= width || gy >= height)
        return;
    for (int y = (int)get_local_id(1); y < T + 2 * R; y += T)
        for (int x = (int)get_local_id(0); x < T + 2 * R; x += T)
            tile[y][x] = from[clamp(y0 + y, 0, height - 1) * width + clamp(x0 + x, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int y = -R; y <= R; y++)
        for (int x = -R; x <= R; x++)
            sum += tile[(int)get_local_id(1) + R + y][(int)get_local_id(0) + R + x];
    to[gy * width + gx] = sum / 9;
}
