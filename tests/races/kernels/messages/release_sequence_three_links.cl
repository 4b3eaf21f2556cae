// expect: clean
// run: -g 16 -l 4 -a buf:4 -a buf:1 -a buf:1
// Three release operations head three release sequences, which compare-exchanges continue.
kernel void k(global int *data, global atomic_int *turn, global int *out)
{
    int g = (int)get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    data[g] = g;
    int seen = g;
    while (!atomic_compare_exchange_weak_explicit(turn, &seen, g + 1, memory_order_release, memory_order_relaxed,
                                                  memory_scope_device))
        seen = g;
    if (g == 3) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = data[0] + data[1] + data[2];
    }
}
