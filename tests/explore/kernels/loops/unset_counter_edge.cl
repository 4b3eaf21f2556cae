// One work-item writes the first element only if the uninitialized counter gave it the element before the
// array: that access was out of bounds, so the write is never reached; likewise past the end.
// Expect: race none
// Options: --global 2 --local 2 --arg buf:9:zero --arg buf:9:zero
__kernel void k(__global int *out, __global int *other)
{
    __local atomic_int next;
    int i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group);

    out[i] = 7;
    other[i + 9] = 8;
    other[0] = 9;
}
