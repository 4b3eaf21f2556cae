// expect: clean
// run: -g 8 -l 4 -a buf:8
// All work-items of a group broadcast from the same one, which differs from group to group. [CLC 6.15.16]
kernel void k(global int *data) {
    for (int i = 0; i < 4; i++)
        data[get_global_id(0)] += work_group_broadcast((int)get_global_id(0), (get_group_id(0) + i) % 4);
}
