// expect: clean
// run: -g 192 -l 64 -a buf:2048:iota -a buf:2048 --print 1
// Compiled code accesses halves by masked accesses of 16 bits after bounds checks.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const ushort *in, global half *out)
{
    half x = as_half((ushort)(0x3000 + in[get_global_id(0)] * 16)), y = 1;
    for (int k = 0; k < 4; k++)
        y = y * x + (half)0.5f;
    if (in[get_global_id(0) + 200] & 2)
        out[get_global_id(0) * 3 + 1] = y;
}
