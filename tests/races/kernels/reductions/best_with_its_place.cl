// expect: clean
// run: -g 16 -l 4 -a buf:16:rand=9 -a buf:1
// The index is part of the atomic word that holds the maximum.
kernel void k(global const int *a, global atomic_ulong *best)
{
    ulong i = get_global_id(0);
    atomic_fetch_max_explicit(best, ((ulong)(uint)(a[i] & 0xffff) << 32) | i, memory_order_relaxed,
                              memory_scope_device);
}
