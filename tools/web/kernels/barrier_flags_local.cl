// The barrier's fence names local memory, but the data is in global memory: all meet, and nothing is ordered.
// Options: --global 2 --local 2 --arg buf:2:zero --arg buf:2:zero --assert 'out[0] == 2 and out[1] == 1'
// Expect: race found, divergence none, termination always
// Twin: barrier_flags
kernel void k(global int *data, global int *out)
{
    int i = get_local_id(0);
    data[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[1 - i];
}
