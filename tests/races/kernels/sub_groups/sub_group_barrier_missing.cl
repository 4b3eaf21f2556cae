// expect: data-race
// at: 10 write, 11 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:16 -a local:64
// Work-items of one sub-group do not run in lock-step.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    uint s = get_sub_group_size(), lane = get_sub_group_local_id(), first = (uint)l - lane;
    t[l] = (int)l;
    out[l] = t[first + s - 1 - lane];
}
