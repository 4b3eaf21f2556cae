// expect: data-race
// at: 10 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:8:iota
// Each work-item reads what its neighbor writes.
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    if (i + 1 < get_global_size(0))
        a[i] = a[i + 1];
}
