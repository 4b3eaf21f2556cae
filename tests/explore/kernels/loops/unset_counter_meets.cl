// Elements of their own, and one work-item writes the third one as well: the counter may start so that another
// one gets that.
// Expect: race found
// Options: --global 2 --local 2 --arg buf:9:zero
__kernel void k(__global int *out)
{
    __local atomic_int next;

    out[atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group)] = 7;
    if (get_local_id(0) == 0)
        out[3] = 8;
}
