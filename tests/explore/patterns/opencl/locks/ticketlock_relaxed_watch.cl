// The number being served is read without acquire.
// Expect: race found
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --arg buf:4:zero --assert count[0]==2
__kernel void k(__global atomic_int *next, __global atomic_int *serving, __global int *count)
{
    int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);

    while (atomic_load_explicit(serving, memory_order_relaxed, memory_scope_device) != mine) ;
    *count = *count + 1;
    atomic_fetch_add_explicit(serving, 1, memory_order_release, memory_scope_device);
}
