// Work-group scope between work-groups is not inclusive [CL 3.3.5 O13].
// Expect: race found
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==2
__kernel void k(__global atomic_int *lock, __global int *count)
{
    int free = 0;

    while (!atomic_compare_exchange_strong_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_work_group))
        free = 0;
    *count = *count + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
}
