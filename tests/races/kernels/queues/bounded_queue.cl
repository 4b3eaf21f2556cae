// expect: clean
// run: -g 8 -l 2 -a buf:4:iota -a buf:4 -a buf:2 -a buf:8
// A bounded queue with many producers and consumers: the sequence number in each slot admits one of them.
void push(global atomic_int *turn, global int *slot, global atomic_int *ends, int value)
{
    int at = atomic_fetch_add_explicit(&ends[0], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&turn[at % 4], memory_order_acquire, memory_scope_device) != at)
        ;
    slot[at % 4] = value;
    atomic_store_explicit(&turn[at % 4], at + 1, memory_order_release, memory_scope_device);
}
int pop(global atomic_int *turn, global int *slot, global atomic_int *ends)
{
    int at = atomic_fetch_add_explicit(&ends[1], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&turn[at % 4], memory_order_acquire, memory_scope_device) != at + 1)
        ;
    int value = slot[at % 4];
    atomic_store_explicit(&turn[at % 4], at + 4, memory_order_release, memory_scope_device);
    return value;
}
kernel void k(global atomic_int *turn, global int *slot, global atomic_int *ends, global int *out)
{
    int g = (int)get_global_id(0);
    push(turn, slot, ends, g);
    out[g] = pop(turn, slot, ends);
}
