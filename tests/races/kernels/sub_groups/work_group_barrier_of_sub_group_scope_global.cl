// expect: data-race
// at: 11 write, 13 read, same group
// run: -k k --global 4 --local 4 --arg buf:4 --arg buf:4
/* The barrier lacks the flag of global memory, for which no scope makes up. */
__attribute__((intel_reqd_sub_group_size(2)))
kernel void k(global int *a, global int *out)
{
    local int copy[4];
    int i = get_local_id(0);
    copy[i] = i;
    a[i] = i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    out[i] = a[3 - i] + copy[3 - i];
}
