// expect: data-race
// at: 9 read, 9 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:9:iota
// Shifting an array by one in place.
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = a[i + 1];
}
