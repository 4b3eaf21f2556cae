// expect: clean
// run: -g 4 -l 1 -a buf:2 -a buf:16 -a buf:16
// A work-stealing deque (Chase and Lev): its owner pushes and takes at the bottom, thieves take at the top.
// A slot is used only once, so elements are plain: pushing releases the bottom, a thief acquires it.
#define S memory_scope_device
kernel void k(global atomic_int *ends, global int *tasks, global int *done)
{
    global atomic_int *top = &ends[0], *bottom = &ends[1];
    int me = (int)get_global_id(0), task = -1;
    if (me == 0) {
        for (int i = 0; i < 8; i++) {
            tasks[i] = i + 1;
            atomic_store_explicit(bottom, i + 1, memory_order_release, S);
        }
        for (int i = 0; i < 4; i++) {
            int b = atomic_load_explicit(bottom, memory_order_relaxed, S) - 1;
            atomic_store_explicit(bottom, b, memory_order_relaxed, S);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, S);
            int t = atomic_load_explicit(top, memory_order_relaxed, S);
            bool got = t < b;
            if (t == b)
                got = atomic_compare_exchange_strong_explicit(top, &t, t + 1, memory_order_seq_cst,
                                                              memory_order_relaxed, S);
            if (got)
                done[tasks[b]] = me;
            else {
                atomic_store_explicit(bottom, b + 1, memory_order_release, S);
                return;
            }
        }
    } else
        for (int tries = 0; tries < 6; tries++) {
            int t = atomic_load_explicit(top, memory_order_acquire, S);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, S);
            if (t >= atomic_load_explicit(bottom, memory_order_acquire, S))
                continue;
            task = tasks[t];
            if (atomic_compare_exchange_strong_explicit(top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed,
                                                        S))
                done[task] = me;
        }
}
