// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a buf:1
// Slots are counted in local memory, then a range is taken from the global counter.
kernel void k(global const int *in, global int *out, global atomic_int *n)
{
    local atomic_int c;
    local int base;
    int l = get_local_id(0);
    if (l == 0)
        atomic_init(&c, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[get_global_id(0)], keep = v & 1, slot = 0;
    if (keep)
        slot = atomic_fetch_add_explicit(&c, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        base = atomic_fetch_add_explicit(
            n, atomic_load_explicit(&c, memory_order_relaxed, memory_scope_work_group), memory_order_relaxed,
            memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep)
        out[base + slot] = v;
}
