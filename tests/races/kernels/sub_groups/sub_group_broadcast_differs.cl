// expect: different-arguments
// at: 8
// clause: CLC 6.15.20
// run: -g 64 -l 64 -a buf:64
// The work-items of the last sub-group broadcast from different ones.
kernel void k(global int *data) {
    int i = get_local_id(0);
    data[i] = sub_group_broadcast(i, i == 62 ? 2 : get_sub_group_id() & 1);
}
