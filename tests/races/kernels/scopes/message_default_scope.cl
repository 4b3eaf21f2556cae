// expect: clean
// run: -g 4 -l 1 -a buf:1 -a buf:1 -a buf:4
// Atomic functions without a scope argument have device scope.
kernel void k(global atomic_int *f, global int *d, global int *o)
{
    int i = get_global_id(0);
    if (i == 0) {
        *d = 42;
        atomic_store_explicit(f, 1, memory_order_release);
    } else {
        while (!atomic_load_explicit(f, memory_order_acquire))
            ;
        o[i] = *d;
    }
}
