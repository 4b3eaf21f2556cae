// Read-modify-writes of a long and of one half of it: each reads in part from the other.
// Expect: condition holds, race found, usage none, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:8:zero --assert x[0]==x[0]
__kernel void k(__global atomic_int *x)
{
    if (get_global_id(0) == 0)
        atomic_fetch_add_explicit((__global atomic_long *)x, 1, memory_order_relaxed, memory_scope_device);
    else
        atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
