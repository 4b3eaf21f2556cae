// expect: data-race
// at: 9 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 2 -l 1 -a buf:4
// A vector store and a store to one of its lanes.
kernel void k(global int4 *a)
{
    if (get_global_id(0) == 0)
        a[1] = (int4)(1);
    else
        ((global int *)a)[6] = 2;
}
