// Eight work-items take a lock, one after the other.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 8 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==8
// Engines: search
kernel void k(global atomic_int *lock, global int *count)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device)) ;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
