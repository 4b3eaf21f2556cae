// Separate elements by a counter, and one work-item also writes the third element: for some initial values of
// the counter another work-item gets that one.
// Expect: race found
// Options: --global 2 --local 2 --arg buf:9:zero
__kernel void k(__global int *out)
{
    __local atomic_int next;

    out[atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group)] = 7;
    if (get_local_id(0) == 0)
        out[3] = 8;
}
