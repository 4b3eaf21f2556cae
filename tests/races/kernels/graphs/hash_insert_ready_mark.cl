// expect: clean
// run: -g 16 -l 4 -a buf:32 -a buf:32 -a buf:32 -a buf:16
// A key is claimed relaxed; its value is published by a separate flag, with release and acquire.
kernel void k(global atomic_int *keys, global int *values, global atomic_int *ready, global int *found)
{
    int i = (int)get_global_id(0), key = 1 + i / 2, slot = (key * 7) & 31;
    for (;;) {
        int none = 0;
        if (atomic_compare_exchange_strong_explicit(&keys[slot], &none, key, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device)) {
            values[slot] = key * 10;
            atomic_store_explicit(&ready[slot], 1, memory_order_release, memory_scope_device);
            found[i] = key * 10;
            break;
        }
        if (none == key) {
            while (!atomic_load_explicit(&ready[slot], memory_order_acquire, memory_scope_device))
                ;
            found[i] = values[slot];
            break;
        }
        slot = (slot + 1) & 31;
    }
}
