// expect: data-race
// at: 10 read, 11 atomic-rmw, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:16:iota -a buf:1 -a buf:1
// The check whether another work-item has found it is a plain read.
kernel void k(global const int *w, global int *found, global int *who)
{
    int i = get_global_id(0);
    if (w[i] % 5 == 0) {
        if (*found == 0) {
            atomic_inc(found);
            *who = i;
        }
    }
}
