// expect: data-race
// at: 9 write, 11 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8 -a local:32
// A reduction is no barrier for memory [CL 3.3.6 W9].
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    t[l] = (int)l;
    int all = work_group_reduce_add(1);
    out[l] = t[7 - l] + all;
}
