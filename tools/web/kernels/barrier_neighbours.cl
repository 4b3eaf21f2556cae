// Each work-item writes its element of local memory and reads its neighbor's, with a barrier between.
// Options: --global 3 --local 3 --arg local:12 --arg buf:3:zero --assert 'out[0] == 2 and out[1] == 3 and out[2] == 1'
// Expect: condition holds, race none, divergence none, termination always
// Twin: barrier_neighbours_missing
kernel void k(local int *shared, global int *out)
{
    int i = get_local_id(0), n = get_local_size(0);
    shared[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[(i + 1) % n];
}
