// A lock by compare-exchange that each of three work-groups takes twice.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 1 --bound 3 --arg buf:4:zero --arg buf:4:zero --assert count[0]==6
__kernel void k(__global atomic_int *lock, __global int *count)
{
    for (int i = 0; i < 2; i++) {
        int free = 0;

        while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
            free = 0;
        *count = *count + 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}
