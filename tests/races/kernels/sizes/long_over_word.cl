// expect: data-race
// at: 9 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 2 -l 1 -a buf:2
// A 64-bit write over a word that another work-item writes.
kernel void k(global ulong *a)
{
    if (get_global_id(0) == 0)
        a[0] = 1;
    else
        ((global uint *)a)[1] = 2;
}
