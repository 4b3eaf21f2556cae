// expect: data-race
// at: 12 write, 18 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:16 -a buf:1 -a buf:16
// The producer publishes the slot before it fills it.
kernel void k(global int *slots, global atomic_int *head, global int *out)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        for (int n = 0; n < 16; n++) {
            atomic_store_explicit(head, n + 1, memory_order_release, memory_scope_device);
            slots[n] = n * n;
        }
    } else if (i == 4) {
        for (int n = 0; n < 16; n++) {
            while (atomic_load_explicit(head, memory_order_acquire, memory_scope_device) == n)
                ;
            out[n] = slots[n];
        }
    }
}
