// Each work-item may read the value before the other's store: relaxed accesses to two locations are not
// ordered.
// Expect: allowed_states 4, race none
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:2:zero --assert "exists (out[0] == 0 and out[1] == 0)"
__kernel void k(__global atomic_int *x, __global atomic_int *y, __global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
        out[0] = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
    } else {
        atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
        out[1] = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
    }
}
