// Acquire loads before the exchange are not enough: the exchange that takes the lock reads from the release.
// Expect: race found
// Options: --global 3 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==3
__kernel void k(__global atomic_int *lock, __global int *count)
{
    do {
        while (atomic_load_explicit(lock, memory_order_acquire, memory_scope_device)) ;
    } while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device));
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
