// Work-items whose code differs in a constant: they race if the first reads the later value, never the
// reverse.
// Expect: race found
// Options: --global 3 --local 3 --arg buf:1:zero --arg buf:1:zero
__kernel void k(__global atomic_int *x, __global int *y)
{
    int i = get_local_id(0);

    if (i == 2) {
        atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
        atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_work_group);
    } else if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group) == 2 - i) {
        *y = 1;
    }
}
