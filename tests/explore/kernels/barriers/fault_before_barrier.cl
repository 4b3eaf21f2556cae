// A work-item that accesses memory out of bounds never reaches the barrier; the others race before it.
// Options: --global 3 --local 3 --arg buf:1 --arg buf:1
// Expect: race found, divergence none, flags data_race+out_of_bounds
kernel void writes(global int *a, global int *b)
{
    if (get_local_id(0) == 0)
        a[5] = 1;
    else
        b[0] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
}
