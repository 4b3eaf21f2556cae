// The exchange that takes the lock does not acquire it: symmetry reduction hides no race.
// Expect: race found, divergence none
// Options: --global 4 --local 2 --arg buf:4:zero --arg buf:4:zero
kernel void k(global atomic_int *lock, global int *count)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device)) ;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
