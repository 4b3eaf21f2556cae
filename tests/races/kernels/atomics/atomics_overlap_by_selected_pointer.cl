// expect: data-race
// at: 10 atomic-rmw, 12 atomic-rmw, different groups
// reason: different atomic objects
// run: -g 2 -l 1 -a buf:2 -a buf:2 -a 1
// The long overlaps two of the ints; which buffer it is in is known only at run time.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global uint *a, global ulong *b, uint which)
{
    if (get_global_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1u, memory_order_relaxed, memory_scope_device);
    else
        atomic_fetch_add_explicit((global atomic_ulong *)(which ? (global ulong *)a : b), 1ul,
                                  memory_order_relaxed, memory_scope_device);
}
