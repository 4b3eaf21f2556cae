// expect: out-of-bounds
// at: 9
// run: -g 2 -l 1 -a buf:8:iota -a buf:2
// The loop includes its upper bound.
kernel void k(global const int *in, global int *out)
{
    int sum = 0;
    for (int i = 0; i <= 4; i++)
        sum += in[get_global_id(0) * 4 + i];
    out[get_global_id(0)] = sum;
}
