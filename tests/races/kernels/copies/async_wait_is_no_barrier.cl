// expect: data-race
// at: 10 write, 12 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota -a buf:8 -a local:32 -a local:32
// Waiting for a copy completes the copy, and orders nothing else.
kernel void k(global const int *in, global int *out, local int *t, local int *u)
{
    size_t l = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    u[l] = (int)l;
    wait_group_events(1, &e);
    out[l] = t[l] + u[7 - l];
}
