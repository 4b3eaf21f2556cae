// The exchange that takes the lock is relaxed: it excludes the others, and orders nothing. The counter races.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --assert 'count[0] == 2'
// Expect: race found, divergence none, termination always
// Twin: lock_spin
kernel void k(global atomic_int *lock, global int *count)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device))
        ;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
