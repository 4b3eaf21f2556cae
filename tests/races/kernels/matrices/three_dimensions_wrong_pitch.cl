// expect: data-race
// kind: uniform-write
// at: 10 write, 10 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 4,2,2 -l 2,1,2 -a buf:16
// The pitch is one too small.
kernel void k(global int *a)
{
    size_t i = get_global_id(0) + 3 * (get_global_id(1) + 2 * get_global_id(2));
    a[i] = (int)i;
}
