// expect: data-race
// at: 9 read, 10 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 4,4 -l 4,1 -a buf:16:iota
// Each element is written where its partner still reads.
kernel void k(global int *m)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    int t = m[y * 4 + x];
    m[x * 4 + y] = t;
}
