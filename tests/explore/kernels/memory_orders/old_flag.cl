// An acquire that reads an old value synchronizes with nothing: only then is the data read, which races.
// Expect: race found, sub_group_size None
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero
__kernel void k(__global int *data, __global atomic_int *ready, __global atomic_int *later, __global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
        atomic_store_explicit(later, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(later, memory_order_relaxed, memory_scope_device) == 1 &&
               atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0) {
        *out = *data;
    }
}
