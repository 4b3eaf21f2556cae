// expect: clean
// run: -g 64 -l 8 -a buf:64:iota -a buf:256
kernel void k(global const int *in, global int *out)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += in[i];
    out[get_global_id(0)] = sum;
}
