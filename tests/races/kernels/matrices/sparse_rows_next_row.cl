// expect: data-race
// at: 10 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:3:iota -a buf:8 -a buf:3
// Each row also clears the beginning of the next.
kernel void k(global const int *rows, global int *x, global int *y)
{
    int l = get_local_id(0), r = get_group_id(0);
    if (l == 0) {
        y[r] = rows[r];
        y[r + 1] = 0;
    }
    x[get_global_id(0)] = l;
}
