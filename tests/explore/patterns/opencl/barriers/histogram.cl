// Counts by atomic increments, in any order.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 4 --local 2 --arg buf:4:iota --arg buf:2:zero --assert bins[0]==2 --assert bins[1]==2
__kernel void k(__global const int *in, __global atomic_int *bins)
{
    atomic_fetch_add_explicit(&bins[in[get_global_id(0)] & 1], 1, memory_order_relaxed, memory_scope_device);
}
