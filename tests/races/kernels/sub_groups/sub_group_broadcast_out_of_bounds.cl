// expect: out-of-bounds
// at: 7
// clause: CLC 6.15.20
// run: -g 40 -l 40 -a buf:40
// The last sub-group, of 8 work-items, broadcasts from its ninth.
kernel void k(global int *data) {
    data[get_local_id(0)] = sub_group_broadcast((int)get_local_id(0), 8);
}
