// All work-items of the group reach the barrier: the branch around it depends on the group alone.
// Options: --global 4 --local 2 --arg local:8 --arg buf:4:zero --assert 'out[0] == 2 and out[1] == 1 and out[2] == 0 and out[3] == 0'
// Expect: condition holds, race none, divergence none, termination always
// Twin: barrier_branch_divergent
kernel void k(local int *shared, global int *out)
{
    int i = get_local_id(0);
    shared[i] = i + 1;
    if (get_group_id(0) == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[1 - i];
    }
}
