// expect: clean
// run: -g 16 -l 4 -a buf:1
// A sum of floats by compare-exchange on their bits.
kernel void k(global atomic_uint *sum)
{
    uint old = atomic_load_explicit(sum, memory_order_relaxed, memory_scope_device), wanted;
    do
        wanted = as_uint(as_float(old) + 1.5f);
    while (!atomic_compare_exchange_weak_explicit(sum, &old, wanted, memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device));
}
