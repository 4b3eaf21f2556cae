// expect: data-race
// at: 10 write, 12 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 2 -l 1 -a buf:16
// A copy of a structure accesses all members.
struct pair { int a, b; };
kernel void k(global struct pair *p)
{
    if (get_global_id(0))
        p[0] = p[1];
    else
        p[0].b = 1;
}
