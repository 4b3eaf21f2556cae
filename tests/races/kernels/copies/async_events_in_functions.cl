// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16
// Functions begin the copy and wait for it.
event_t begin(local int *to, global const int *from, event_t e)
{
    return async_work_group_copy(to, from, 8, e);
}
void end(int n, event_t *e)
{
    wait_group_events(n, e);
}
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    event_t e = begin(t, in + 8 * get_group_id(0), 0);
    end(1, &e);
    out[get_global_id(0)] = t[7 - get_local_id(0)];
}
