// expect: data-race
// at: 14 write, 19 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:32 -a buf:32 -a buf:16
// The key is claimed with a relaxed exchange, then the value is written plainly: a lookup that finds the key
// reads a value whose write is not ordered before it [CL 3.3.6 G17].
kernel void k(global atomic_int *keys, global int *values, global int *found)
{
    int i = (int)get_global_id(0), key = 1 + i / 2, slot = (key * 7) & 31;
    for (;;) {
        int none = 0;
        if (atomic_compare_exchange_strong_explicit(&keys[slot], &none, key, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device)) {
            values[slot] = key * 10;
            found[i] = key * 10;
            break;
        }
        if (none == key) {
            found[i] = values[slot];
            break;
        }
        slot = (slot + 1) & 31;
    }
}
