// Each work-item takes two elements at an index from an uninitialized counter.
// Expect: race none
// Options: --global 2 --local 2 --arg buf:9:zero
__kernel void k(__global int *out)
{
    __local atomic_int next;
    int i = atomic_fetch_add_explicit(&next, 2, memory_order_relaxed, memory_scope_work_group);

    out[i] = 7;
    out[i + 1] = 8;
}
