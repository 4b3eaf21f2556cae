// Options: --global 2 --arg '{0}' --arg buf:2
// Error: shuffle_in_branch.cl:6:18: sub_group_shuffle (OpGroupNonUniformShuffle, opcode 345) that perhaps not all work-items reach is not explored: call it where all work-items of the launch do, outside of loops and of branches that only some may take, or check executions one by one with refcl kernel [explore.group]
kernel void some(global int *ticket, global int *out)
{
    if (atomic_inc(ticket) == 0)
        out[0] = sub_group_shuffle(1, 0);
}
