// expect: clean
// run: -g 12 -l 4 -a buf:16 -a buf:4
// Each work-group takes rows from its predecessor: its leader acquires, barrier, read, barrier, write,
// barrier, its leader releases.
kernel void k(global int *row, global atomic_int *done)
{
    int group = (int)get_group_id(0), i = (int)get_local_id(0);
    for (int step = 1; step <= 3; step++) {
        if (group && i == 0)
            while (atomic_load_explicit(&done[group - 1], memory_order_acquire, memory_scope_device) < step)
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        int next = row[step * 4 + (i + 1) % 4];
        barrier(CLK_GLOBAL_MEM_FENCE);
        row[step * 4 + i] += next + 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 0)
            atomic_store_explicit(&done[group], step, memory_order_release, memory_scope_device);
    }
}
