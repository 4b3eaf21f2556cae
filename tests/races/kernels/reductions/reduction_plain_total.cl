// expect: data-race
// at: 17 read, 17 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 32 -l 8 -a buf:32:iota -a buf:1
// The work-groups add up without an atomic.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    size_t i = get_local_id(0);
    t[i] = in[get_global_id(0)];
    for (size_t d = 4; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < d)
            t[i] += t[i + d];
    }
    if (i == 0)
        *out += t[0];
}
