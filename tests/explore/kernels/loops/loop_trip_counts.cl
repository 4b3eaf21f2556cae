// Expect: condition holds, race none, divergence none, termination always
// Options: -g 2 -l 2 --arg buf:2 --arg buf:1:fill=11 --arg 9 --bound 2 --assert "forall out[0] == 236 and out[1] == 236"
// The trip counts depend on constants, an argument, the launch size and memory that is never written.
kernel void k(global int *out, global const int *most, int n)
{
    int i = get_global_id(0), sum = 0;
    local int last[2];
    for (int a = 0; a < 20; a++)
        for (int b = 0; b < a; b++)
            sum++;
    while (n > 0) {
        sum += 3;
        n -= 2;
    }
    for (int a = most[0]; a >= 0; a -= 1)
        sum += a == 4 ? 2 : 1;
    for (size_t step = get_local_size(0) << 4; step; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        last[i] = sum;
        sum += 3;
    }
    out[i] = sum;
}
