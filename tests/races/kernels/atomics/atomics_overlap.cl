// expect: data-race
// at: 12 atomic-rmw, 14 atomic-rmw, same group
// reason: different atomic objects
// run: -g 2 -l 2 -a buf:2
// A long and an int that is half of it are different atomic objects, so operations on one are not atomic with
// respect to the other.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global int *out)
{
    if (get_local_id(0) == 0)
        atomic_fetch_add((global atomic_long *)out, 1);
    else
        atomic_fetch_add((global atomic_int *)out, 1);
}
