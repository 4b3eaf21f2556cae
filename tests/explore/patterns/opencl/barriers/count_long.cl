// Three work-items count in 64 bits, twice each.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 3 --arg buf:8:zero --assert count[0]==6
__kernel void k(__global atomic_long *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
}
