// An uninitialized counter supplies indices: whatever its initial value, no two work-items get the same one.
// Expect: race none, divergence none, termination always
// Options: --global 3 --local 3 --arg buf:9:zero
__kernel void k(__global int *out)
{
    __local atomic_int next;

    out[atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group)] = 7;
}
