// Options: --global 2 --arg pipe:8
// Error: pipe_reserved.cl:6:23: work_group_reserve_write_pipe or sub_group_reserve_write_pipe (OpGroupReserveWritePipePackets, opcode 286) is not explored: pass the packets in a buffer, or check executions one by one with refcl kernel [explore.opcode]
kernel void fill(write_only pipe int to)
{
    int packet = 1;
    reserve_id_t id = work_group_reserve_write_pipe(to, 1);
    write_pipe(to, id, 0, &packet);
    work_group_commit_write_pipe(to, id);
}
