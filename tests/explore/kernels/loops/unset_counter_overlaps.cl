// Each work-item takes two elements, but the uninitialized counter is incremented by one.
// Expect: race found
// Options: --global 2 --local 2 --arg buf:9:zero
__kernel void k(__global int *out)
{
    __local atomic_int next;
    int i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group);

    out[i] = 7;
    out[i + 1] = 8;
}
