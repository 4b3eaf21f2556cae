// Options: --global 2 --arg '{0}' --arg buf:2
// Error: scan_in_branch.cl:6:18: sub_group_non_uniform_scan_exclusive_max (OpGroupNonUniformSMax, opcode 356) that perhaps not all work-items reach is not explored: call it where all work-items of the launch do, outside of loops and of branches that only some may take, or check executions one by one with refcl kernel [explore.group]
kernel void some(global int *ticket, global int *out)
{
    if (atomic_inc(ticket) == 0)
        out[0] = sub_group_non_uniform_scan_exclusive_max(3);
}
