// expect: clean
// run: -g 5 -l 1 -a buf:1 -a buf:4 -a buf:1
// Each producer sets one bit; a read of all bits acquires from each producer, because each read-modify-write
// continues the release sequences of the earlier ones.
kernel void k(global atomic_uint *bits, global int *data, global int *sum)
{
    uint i = get_global_id(0), all = get_global_size(0) - 1;
    if (i < all) {
        data[i] = (int)i;
        atomic_fetch_or_explicit(bits, 1u << i, memory_order_release, memory_scope_device);
        return;
    }
    while (atomic_load_explicit(bits, memory_order_acquire, memory_scope_device) != (1u << all) - 1)
        ;
    for (uint n = 0; n < all; n++)
        *sum += data[n];
}
