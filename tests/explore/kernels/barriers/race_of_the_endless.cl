// The race occurs only in executions that never terminate: work-item 0 reads 2, then waits for a value that
// no work-item writes. The first nonterminating execution that search finds has no race: work-item 0 reads 0.
// Expect: race found, divergence none, termination not-always
// Options: --global 3 --local 1 --arg buf:8:zero --arg buf:8:zero
kernel void k(global int *x, global atomic_int *flag)
{
    if (get_global_id(0) == 0) {
        int seen = atomic_load_explicit(&flag[0], memory_order_relaxed);
        if (seen == 2)
            *x = 1;
        while (seen != 1 && atomic_load_explicit(&flag[1], memory_order_relaxed) == 0)
            ;
    } else if (get_global_id(0) == 1) {
        atomic_store_explicit(&flag[0], 1, memory_order_relaxed);
    } else {
        *x = 2;
        atomic_store_explicit(&flag[0], 2, memory_order_relaxed);
    }
}
