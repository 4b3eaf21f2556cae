// expect: clean
// run: -g 8 -l 8 -a buf:24:iota -a buf:8
// Three copies, three events, one wait.
kernel void k(global const int *in, global int *out)
{
    local int a[8], b[8], c[8];
    event_t e[3] = {async_work_group_copy(a, in, 8, 0), async_work_group_copy(b, in + 8, 8, 0),
                    async_work_group_copy(c, in + 16, 8, 0)};
    int l = 7 - get_local_id(0);
    wait_group_events(3, e);
    out[get_local_id(0)] = a[l] + b[l] + c[l];
}
