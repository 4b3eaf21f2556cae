// expect: different-arguments
// at: 7
// clause: CLC 6.15.16
// run: -g 8 -l 4 -a buf:8
// The work-items of a group broadcast from different ones.
kernel void k(global int *data) {
    data[get_global_id(0)] = work_group_broadcast((int)get_global_id(0), get_local_id(0) & 1);
}
