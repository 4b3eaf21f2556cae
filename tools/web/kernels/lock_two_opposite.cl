// Two locks, taken in opposite orders: each work-item may hold one and wait for the other forever.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --assert 'a[0] == 0 and b[0] == 0'
// Expect: race none, divergence none, termination not-always
// Twin: lock_two
void take(global atomic_int *lock)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
}
void give(global atomic_int *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
kernel void k(global atomic_int *a, global atomic_int *b)
{
    int first = get_global_id(0) == 0;
    take(first ? a : b);
    take(first ? b : a);
    give(a);
    give(b);
}
