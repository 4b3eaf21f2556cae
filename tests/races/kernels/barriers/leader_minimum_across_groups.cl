// expect: data-race
// at: 9 atomic-rmw, 11 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:8:iota -a buf:1:fill=99 -a buf:8
// A barrier synchronizes one work-group only.
kernel void k(global const int *in, global int *best, global int *out)
{
    int i = get_global_id(0);
    atomic_min((volatile global int *)best, in[i] ^ 5);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = *best;
}
