// Work-items exchange data through global memory: the barrier's fence names global memory.
// Options: --global 2 --local 2 --arg buf:2:zero --arg buf:2:zero --assert 'out[0] == 2 and out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
// Twin: barrier_flags_local
kernel void k(global int *data, global int *out)
{
    int i = get_local_id(0);
    data[i] = i + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[1 - i];
}
