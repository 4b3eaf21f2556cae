// expect: data-race
// at: 13 write, 17 read, copy and work-item in one group
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy at
// run: -g 8 -l 8 -a buf:24:iota -a buf:8
// The third copy is waited for after its use; the barrier does not help.
kernel void k(global const int *in, global int *out)
{
    local int a[8], b[8], c[8];
    event_t e[3];
    e[0] = async_work_group_copy(a, in, 8, 0);
    e[1] = async_work_group_copy(b, in + 8, 8, 0);
    e[2] = async_work_group_copy(c, in + 16, 8, 0);
    int l = 7 - get_local_id(0);
    wait_group_events(2, e);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = a[l] + b[l] + c[l];
    wait_group_events(1, e + 2);
}
