// The value that would cause an out-of-bounds access is stored after a barrier; the load precedes the
// barrier.
// Options: --global 2 --local 2 --arg {0} --arg buf:1
// Expect: race none, divergence none, termination always, flags none
kernel void indexes(global atomic_int *x, global int *a)
{
    if (get_local_id(0) == 0)
        a[atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 1)
        atomic_store_explicit(x, 1000, memory_order_relaxed, memory_scope_device);
}
