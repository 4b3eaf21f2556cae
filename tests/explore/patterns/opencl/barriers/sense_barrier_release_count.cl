// The counter releases but does not acquire: the last to arrive does not publish the other work-items'
// writes.
// Expect: race found
// Options: --global 2 --local 1 --arg buf:12:zero --arg buf:4:zero --arg buf:4:zero --arg buf:12:zero
__kernel void k(__global int *a, __global atomic_int *count, __global atomic_int *sense, __global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);

    a[i] = i + 1;
    if (atomic_fetch_add_explicit(count, 1, memory_order_release, memory_scope_device) == n - 1)
        atomic_store_explicit(sense, 1, memory_order_release, memory_scope_device);
    else
        while (atomic_load_explicit(sense, memory_order_acquire, memory_scope_device) == 0) ;
    out[i] = a[(i + 1) % n];
}
