// expect: data-race
// at: 10 read, 12 write, different groups; 11 write, 14 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:1 -a buf:1 -a buf:4
// The first check reads a plain flag.
kernel void k(global int *table, global int *done, global int *out)
{
    if (get_local_id(0))
        return;
    if (!*done) {
        *table = 42;
        *done = 1;
    }
    out[get_group_id(0)] = *table;
}
