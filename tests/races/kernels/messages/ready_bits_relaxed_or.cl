// expect: data-race
// at: 11 write, 18 read, different groups
// reason: is relaxed and follows no release fence
// fix: memory_order_release
// run: -g 5 -l 1 -a buf:1 -a buf:4 -a buf:1
// Bits that are set with relaxed order publish nothing.
kernel void k(global atomic_uint *bits, global int *data, global int *sum)
{
    uint i = get_global_id(0), all = get_global_size(0) - 1;
    if (i < all) {
        data[i] = (int)i;
        atomic_fetch_or_explicit(bits, 1u << i, memory_order_relaxed, memory_scope_device);
        return;
    }
    while (atomic_load_explicit(bits, memory_order_acquire, memory_scope_device) != (1u << all) - 1)
        ;
    for (uint n = 0; n < all; n++)
        *sum += data[n];
}
