// expect: clean
// run: -g 8 -l 4 -a buf:64:iota
// Prefix sums down the columns, one work-item each.
kernel void k(global int *m)
{
    for (int row = 1; row < 8; row++)
        m[row * 8 + get_global_id(0)] += m[(row - 1) * 8 + get_global_id(0)];
}
