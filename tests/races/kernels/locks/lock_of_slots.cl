// expect: clean
// run: -g 6 -l 1 -a buf:8:fill=0 -a buf:1 -a buf:1
// Anderson's array lock: one slot for each waiting work-item; the first slot is open from the start.
#define S memory_scope_device
kernel void k(global atomic_int *open, global atomic_int *next, global int *sum)
{
    int slot = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, S);
    while (slot && !atomic_load_explicit(&open[slot], memory_order_acquire, S))
        ;
    *sum += slot;
    atomic_store_explicit(&open[slot + 1], 1, memory_order_release, S);
}
