// expect: data-race
// at: 12 read, 14 write, different groups; 14 write, 14 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 6 -l 1 -a buf:8:fill=0 -a buf:1 -a buf:1
// The next slot is opened before the sum has been written.
#define S memory_scope_device
kernel void k(global atomic_int *open, global atomic_int *next, global int *sum)
{
    int slot = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, S);
    while (slot && !atomic_load_explicit(&open[slot], memory_order_acquire, S))
        ;
    int was = *sum;
    atomic_store_explicit(&open[slot + 1], 1, memory_order_release, S);
    *sum = was + slot;
}
