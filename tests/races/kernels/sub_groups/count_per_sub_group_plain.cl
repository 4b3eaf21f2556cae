// expect: data-race
// at: 10 read, 11 write, different groups; 11 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 32 -l 16 -a buf:1 -a buf:32
// The counter is not atomic.
kernel void k(global int *n, global int *out)
{
    int rank = sub_group_scan_exclusive_add(1), all = sub_group_reduce_add(1), first = 0;
    if (get_sub_group_local_id() == 0) {
        first = *n;
        *n = first + all;
    }
    first = sub_group_broadcast(first, 0);
    out[(first + rank) % 32] = (int)get_global_id(0);
}
