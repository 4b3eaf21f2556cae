// expect: clean
// run: -g 6 -l 1 -a buf:16 -a buf:16 -a buf:1 -a buf:6
// One acquire fence after the read of the head covers the whole list, since each node's push heads a release
// sequence that the later pushes continue.
kernel void k(global int *val, global int *next, global atomic_int *top, global int *out)
{
    int id = get_global_id(0) + 1;
    val[id] = id;
    int o = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
    do
        next[id] = o;
    while (!atomic_compare_exchange_weak_explicit(top, &o, id, memory_order_release, memory_order_relaxed,
                                                  memory_scope_device));
    int s = 0, n = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    for (; n; n = next[n])
        s += val[n];
    out[id - 1] = s;
}
