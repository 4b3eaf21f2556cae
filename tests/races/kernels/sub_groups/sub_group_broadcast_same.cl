// expect: clean
// run: -g 64 -l 64 -a buf:64
// All work-items of a sub-group broadcast from the same one, those of other sub-groups from another. [CLC 6.15.16]
kernel void k(global int *data) {
    int i = get_local_id(0);
    data[i] = sub_group_broadcast(i, get_sub_group_id() & 1);
}
