// expect: data-race
// at: 8 write, 8 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:4
// Two work-groups write the same four elements.
kernel void k(global int *out)
{
    out[get_local_id(0)] = (int)get_group_id(0);
}
