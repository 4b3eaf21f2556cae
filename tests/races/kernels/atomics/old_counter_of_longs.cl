// expect: clean
// run: -g 16 -l 4 -a buf:2
// Atomic functions of 64 bits from before OpenCL 2.0.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(volatile global long *sums)
{
    atom_add(&sums[0], (long)get_global_id(0));
    atom_max(&sums[1], (long)get_global_id(0));
}
