// expect: clean
// run: --repeat 3 -g 8 -l 4 -a buf:16:iota -a buf:1
// Game of life in a double buffer; launches are ordered.
kernel void k(global int *cells, global int *round)
{
    int i = get_global_id(0);
    int left = cells[(i + 7) % 8], right = cells[(i + 1) % 8];
    cells[8 + i] = left ^ right;
    if (i == 0)
        *round += 1;
}
