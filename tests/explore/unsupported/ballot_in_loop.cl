// Options: --global 2 --arg '{0}' --arg buf:2
// Error: ballot_in_loop.cl:6:33: sub_group_ballot (OpGroupNonUniformBallot, opcode 339) that perhaps not all work-items reach is not explored: call it where all work-items of the launch do, outside of loops and of branches that only some may take, or check executions one by one with refcl kernel [explore.group]
kernel void some(global int *ticket, global uint *out)
{
    for (int i = 0; i < *ticket; i++)
        out[get_global_id(0)] = sub_group_ballot(i).x;
    atomic_inc(ticket);
}
