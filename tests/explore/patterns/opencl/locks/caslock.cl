// A lock by compare-exchange: acquire and release order the accesses to the count [CL 3.3.6 A4].
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==3
__kernel void k(__global atomic_int *lock, __global int *count)
{
    int free = 0;

    while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        free = 0;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
