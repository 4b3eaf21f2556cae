// Of three symmetric work-items the one that gets the token writes; the next one is ordered after that.
// Expect: race none, termination always
// Options: --global 3 --local 3 --arg buf:1:zero --arg buf:1:zero
__kernel void k(__global atomic_int *token, __global int *a)
{
    int mine = atomic_fetch_add_explicit(token, 1, memory_order_acq_rel, memory_scope_work_group);

    if (mine == 0)
        return;
    if (mine == 1)
        *a = 1;
    atomic_fetch_add_explicit(token, 1, memory_order_release, memory_scope_work_group);
}
