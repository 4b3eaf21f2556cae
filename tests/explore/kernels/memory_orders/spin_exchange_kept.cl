// A lock that its first holder never releases.
// Expect: race none, divergence none, termination not-always
// Options: --global 2 --local 1 --arg buf:4:zero
__kernel void spin(__global atomic_int *lock)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
}
