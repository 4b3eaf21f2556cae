// One of two symmetric work-items gets the token and writes its element: it may be the second.
// Expect: condition fails, race none
// Options: --global 2 --local 2 --arg buf:1:zero --arg buf:2:zero --assert "forall (a[1]==0)"
__kernel void k(__global atomic_int *token, __global int *a)
{
    int i = get_local_id(0);

    if (atomic_fetch_add_explicit(token, 1, memory_order_relaxed, memory_scope_work_group) == 0)
        a[i] = 1;
}
