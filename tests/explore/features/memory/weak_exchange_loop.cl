// Options: --global 2 --arg '{0}' --assert 'n[0] == 2'
// Expect: condition holds, race none
kernel void add(global atomic_int *n)
{
    int old = atomic_load_explicit(n, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(n, &old, old + 1, memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device))
        ;
}
