// expect: clean
// run: -g 2 -l 2 -a buf:2
// Memory that is one atomic object before a barrier and another one after it.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global int *out)
{
    atomic_fetch_add_explicit((global atomic_long *)out, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_fetch_add_explicit((global atomic_int *)out + 1, 1, memory_order_relaxed, memory_scope_device);
}
