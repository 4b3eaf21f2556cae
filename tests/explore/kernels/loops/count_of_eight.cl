// Eight work-items that each make one atomic update: all orders are equivalent by symmetry.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 8 --local 2 --arg buf:4:zero --assert count[0]==8
// Engines: search
kernel void k(global atomic_int *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
}
