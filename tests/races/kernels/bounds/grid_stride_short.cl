// expect: data-race
// at: 9 read, 9 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:40:iota -a 40
// The stride is one less than the number of work-items.
kernel void k(global int *a, int n)
{
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0) - 1)
        a[i] *= 2;
}
