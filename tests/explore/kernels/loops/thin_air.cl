// Each work-item stores the 42 that it reads, which nothing else writes: an out-of-thin-air value, which the
// model allows by default (switch oota) [CL 3.3.6 A18].
// Expect: condition holds, race none
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --assert "exists (x[0]==42)"
__kernel void k(__global atomic_int *x, __global atomic_int *y)
{
    __global atomic_int *from = get_global_id(0) ? y : x, *to = get_global_id(0) ? x : y;
    int r = atomic_load_explicit(from, memory_order_relaxed, memory_scope_device);
    if (r == 42)
        atomic_store_explicit(to, r, memory_order_relaxed, memory_scope_device);
}
