// expect: data-race
// at: 9 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: --repeat 3 -g 8 -l 4 -a buf:8:iota
// Neighbors are read while they are written.
kernel void k(global int *cells)
{
    int i = get_global_id(0);
    int left = cells[(i + 7) % 8], right = cells[(i + 1) % 8];
    cells[i] = left ^ right;
}
