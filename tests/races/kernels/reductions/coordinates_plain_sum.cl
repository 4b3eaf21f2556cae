// expect: data-race
// at: 10 read, 10 write, same group
// reason: no synchronization orders the two accesses
// fix: one atomic operation
// run: -g 16 -l 4 -a buf:16:iota -a buf:16:iota -a buf:4
// A sparse matrix product in coordinate format: entries of one row add to its result plainly.
kernel void k(global const int *row, global const int *value, global float *y)
{
    size_t i = get_global_id(0);
    y[row[i] / 4] += (float)value[i];
}
