// expect: clean
// run: -g 16 -l 4 -a buf:64 -a buf:16
// Key and value are one atomic word of 64 bits: any read of an entry, even a relaxed one, reads both.
kernel void k(global atomic_ulong *table, global int *found)
{
    uint i = (uint)get_global_id(0), key = 1 + i / 2, slot = (key * 7) & 31;
    ulong mine = ((ulong)key << 32) | key * 10;
    for (;; slot = (slot + 1) & 31) {
        ulong seen = 0;
        if (atomic_compare_exchange_strong_explicit(&table[slot], &seen, mine, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device))
            seen = mine;
        if ((uint)(seen >> 32) == key) {
            found[i] = (int)(uint)seen;
            return;
        }
    }
}
