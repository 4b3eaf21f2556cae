// Iterations that find nothing race with a store whose scope does not include their work-item.
// Expect: race found, termination always
// Options: --global 2 --local 1 --arg buf:1:zero
__kernel void k(__global atomic_int *x)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
        atomic_store_explicit(x, 2, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(x, memory_order_acquire, memory_scope_device) != 2)
            ;
    }
}
