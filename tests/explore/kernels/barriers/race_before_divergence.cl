// Some work-items race, then wait at a barrier that the others never reach.
// Options: --global 3 --local 3 --arg buf:1
// Expect: race found, divergence found
kernel void parts(global int *b)
{
    b[0] = get_local_id(0);
    if (get_local_id(0))
        barrier(CLK_LOCAL_MEM_FENCE);
}
