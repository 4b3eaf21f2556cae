// The lock is passed on by a relaxed store: the next holder sees the number, but not what was written before.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert 'count[0] == 2'
// Expect: race found, divergence none, termination always
// Twin: lock_ticket
kernel void k(global atomic_int *next, global atomic_int *served, global int *count)
{
    int ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(served, memory_order_acquire, memory_scope_device) != ticket)
        ;
    *count = *count + 1;
    atomic_store_explicit(served, ticket + 1, memory_order_relaxed, memory_scope_device);
}
