// A test-and-test-and-set lock: relaxed loads until it is free, then an exchange.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==2
__kernel void k(__global atomic_int *lock, __global int *count)
{
    do {
        while (atomic_load_explicit(lock, memory_order_relaxed, memory_scope_device)) ;
    } while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device));
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
