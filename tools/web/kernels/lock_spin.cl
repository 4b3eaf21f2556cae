// A spin lock: the exchange that takes the lock acquires, the store that frees it releases, so what one
// work-item writes under the lock happens before what the next one reads.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --assert 'count[0] == 2'
// Expect: condition holds, race none, divergence none, termination always
// Twin: lock_spin_relaxed
kernel void k(global atomic_int *lock, global int *count)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
