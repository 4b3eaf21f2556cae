// expect: data-race
// at: 9 write, 11 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8 -a buf:8
// A vote of the work-group does not order memory accesses.
kernel void k(global int *a, global int *o)
{
    int i = get_local_id(0);
    a[i] = i;
    int any = work_group_any(i == 3);
    o[i] = a[(i + 1) % 8] + any;
}
