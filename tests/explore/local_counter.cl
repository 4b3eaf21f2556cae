// A counter in local memory that nobody sets: whatever it starts with, the two take different elements, and no element
// is there for some of what it may start with.
// Expect: race none
// Options: --global 2 --local 2 --arg local:4 --arg buf:4
__kernel void k(__local atomic_uint *next, __global uint *out)
{
    out[atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_work_group)] = get_global_id(0);
}
