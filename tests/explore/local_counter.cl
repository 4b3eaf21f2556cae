// An uninitialized counter in local memory, taken modulo the number of elements: whatever its initial value,
// the two work-items take different elements.
// Expect: race none
// Options: --global 2 --local 2 --arg local:4 --arg buf:4
__kernel void k(__local atomic_uint *next, __global uint *out)
{
    out[atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_work_group) & 3] = get_global_id(0);
}
