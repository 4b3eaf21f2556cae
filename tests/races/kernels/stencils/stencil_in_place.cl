// expect: data-race
// at: 9 read, 9 write, same group
// reason: no synchronization orders the two accesses
// run: -g 32 -l 8 -a buf:32:iota
// A stencil in place reads what its neighbors write.
kernel void k(global int *a)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    a[i] = a[i ? i - 1 : 0] + a[i] + a[i + 1 < n ? i + 1 : i];
}
