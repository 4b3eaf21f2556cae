// expect: clean
// run: -g 8 -l 4 -a buf:2
// 64-bit atomics of OpenCL 1.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(volatile global long *sum)
{
    atom_add(&sum[get_global_id(0) % 2], (long)get_global_id(0));
}
