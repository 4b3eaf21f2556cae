// expect: clean
// run: -g 6 -l 6 -a buf:1
// The n-queens problem for n = 6: each work-item takes a column of the first row, and all add up at the end.
kernel void k(global atomic_int *solutions)
{
    int columns[6], row = 1, found = 0;
    columns[0] = (int)get_global_id(0);
    columns[1] = -1;
    while (row) {
        int c = ++columns[row], free = c < 6;
        if (!free) {
            row--;
            continue;
        }
        for (int r = 0; r < row; r++)
            free &= columns[r] != c && abs(columns[r] - c) != row - r;
        if (free && row == 5)
            found++;
        else if (free)
            columns[++row] = -1;
    }
    atomic_fetch_add_explicit(solutions, found, memory_order_relaxed, memory_scope_device);
}
