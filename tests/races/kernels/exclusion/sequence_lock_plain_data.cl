// expect: data-race
// at: 12 write, 20 read, different groups; 13 write, 21 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:1 -a buf:2 -a buf:2
// A reader of a sequence lock reads while the writer may write: a data race even if it reads again.
kernel void k(global atomic_int *sequence, global int *data, global int *out)
{
    size_t i = get_global_id(0);
    if (i == 4) {
        for (int n = 0; n < 4; n++) {
            atomic_fetch_add_explicit(sequence, 1, memory_order_acq_rel, memory_scope_device);
            data[0] = n;
            data[1] = n;
            atomic_fetch_add_explicit(sequence, 1, memory_order_release, memory_scope_device);
        }
    } else if (i == 0) {
        int before, after;
        do {
            before = atomic_load_explicit(sequence, memory_order_acquire, memory_scope_device);
            out[0] = data[0];
            out[1] = data[1];
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            after = atomic_load_explicit(sequence, memory_order_relaxed, memory_scope_device);
        } while (before != after || before % 2);
    }
}
