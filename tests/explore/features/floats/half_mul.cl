// Options: --global 2 --arg '{1.5, 2}' --arg buf:2 --assert 'out[0] == 2.25 and out[1] == 4'
// Expect: condition holds, race none, divergence none, termination always
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void square(global const half *in, global half *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] * in[i];
}
