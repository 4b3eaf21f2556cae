// Options: --global 1 --arg pipe:8 --arg buf:1
// Error: pipe_packets.cl:5:14: get_pipe_num_packets (OpGetNumPipePackets, opcode 283) is not explored: pass the packets in a buffer, or check executions one by one with refcl kernel [explore.opcode]
kernel void count(read_only pipe int from, global uint *out)
{
    out[0] = get_pipe_num_packets(from);
}
