// Options: --global 2 --local 1 --arg buf:1 --arg buf:1
// Expect: race found
// Both compare-exchanges succeed if the second work-item expects 5.
kernel void k(global atomic_int *c, global int *a)
{
    int set[2], i = get_global_id(0);
    set[i] = 0;
    int expected = set[!i];
    if (atomic_compare_exchange_strong_explicit(c, &expected, 5, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device))
        *a = i;
}
