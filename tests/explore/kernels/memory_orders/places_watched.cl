// One of two symmetric work-items gets the token and writes its element; a third one reads the second
// element.
// Expect: race found
// Options: --global 3 --local 3 --arg buf:1:zero --arg buf:3:zero
__kernel void k(__global atomic_int *token, __global int *a)
{
    int i = get_local_id(0);

    if (i == 2)
        a[2] = a[1];
    else if (atomic_fetch_add_explicit(token, 1, memory_order_relaxed, memory_scope_work_group) == 0)
        a[i] = 1;
}
