// expect: data-race
// at: 13 write, 22 read, different groups
// reason: is relaxed and follows no release fence
// run: -g 4 -l 1 -a buf:2 -a buf:16 -a buf:16
// The store to the bottom is relaxed: despite the thief's fence, it reads a task that was not published.
#define S memory_scope_device
kernel void k(global atomic_int *ends, global int *tasks, global int *done)
{
    global atomic_int *top = &ends[0], *bottom = &ends[1];
    int me = (int)get_global_id(0);
    if (me == 0)
        for (int i = 0; i < 8; i++) {
            tasks[i] = i + 1;
            atomic_store_explicit(bottom, i + 1, memory_order_relaxed, S);
        }
    else
        for (int tries = 0; tries < 6; tries++) {
            int t = atomic_load_explicit(top, memory_order_acquire, S);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, S);
            if (t >= atomic_load_explicit(bottom, memory_order_acquire, S))
                continue;
            int task = tasks[t];
            if (atomic_compare_exchange_strong_explicit(top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed,
                                                        S))
                done[task] = me;
        }
}
