// Options: --global 2 --arg pipe:8 --arg buf:2
// Error: pipe.cl:6:9: read_pipe (OpReadPipe, opcode 274) is not explored: pass the packets in a buffer, or check executions one by one with refcl kernel [explore.opcode]
kernel void move(read_only pipe int from, global int *out)
{
    int packet = 0;
    if (read_pipe(from, &packet) == 0)
        out[get_global_id(0)] = packet;
}
