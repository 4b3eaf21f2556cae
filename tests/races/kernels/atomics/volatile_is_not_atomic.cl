// expect: data-race
// at: 8 write, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 2 -a buf:1
// volatile orders nothing between work-items.
kernel void k(volatile global int *x)
{
    *x = (int)get_global_id(0);
}
