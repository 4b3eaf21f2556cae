// A barrier of work-groups by a counter and a sense.
// Expect: condition holds, race none, termination always
// Options: --global 3 --local 1 --arg buf:12:zero --arg buf:4:zero --arg buf:4:zero --arg buf:12:zero --assert out[0]==2 --assert out[2]==1
__kernel void k(__global int *a, __global atomic_int *count, __global atomic_int *sense, __global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);

    a[i] = i + 1;
    if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == n - 1)
        atomic_store_explicit(sense, 1, memory_order_release, memory_scope_device);
    else
        while (atomic_load_explicit(sense, memory_order_acquire, memory_scope_device) == 0) ;
    out[i] = a[(i + 1) % n];
}
