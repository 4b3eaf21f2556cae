// expect: clean
// run: -g 16 -l 16 -a buf:16 -a buf:128 -a buf:64 -a buf:64:iota --print 0 --print 1 --print 2
// The written values depend on the schedule, and the last work-item's reads look like races.
kernel void k(global atomic_int *count, global int *out, global int *data, global int *rounds)
{
    int i = get_global_id(0), s = 0;
    data[i] = 1;
    int before = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
    for (int j = 0; j < rounds[i]; j++)
        s += rounds[(i + j) & 15];
    if (atomic_load_explicit(count, memory_order_acquire, memory_scope_device) == 16 && i < 15)
        out[16 + i] = 7 + (s & 0);
    if (before == 15)
        for (int j = 0; j < 16; j++)
            s += data[j];
    if (s == -5)
        out[i] = 3;
}
