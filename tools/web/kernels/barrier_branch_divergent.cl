// Only one work-item of each group reaches the barrier: it waits for the other forever.
// Options: --global 4 --local 2 --arg local:8 --arg buf:4:zero --assert 'out[1] == 0 and out[3] == 0'
// Expect: race none, divergence found, termination not-always
// Twin: barrier_branch
kernel void k(local int *shared, global int *out)
{
    int i = get_local_id(0);
    shared[i] = i + 1;
    if (i == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[1 - i];
    }
}
