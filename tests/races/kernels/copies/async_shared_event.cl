// expect: clean
// run: -g 8 -l 8 -a buf:16:iota -a buf:8
// Two copies share an event; a wait for the event waits for both.
kernel void k(global const int *in, global int *out)
{
    local int a[8], b[8];
    event_t e = async_work_group_copy(a, in, 8, 0);
    e = async_work_group_strided_copy(b, in + 1, 4, 2, e);
    e = async_work_group_strided_copy(b + 4, in + 8, 4, 2, e);
    wait_group_events(1, &e);
    out[get_local_id(0)] = a[7 - get_local_id(0)] + b[get_local_id(0)];
}
