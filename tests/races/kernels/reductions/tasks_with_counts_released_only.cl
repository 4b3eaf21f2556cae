// expect: data-race
// at: 12 write, 17 read, different groups; 17 read, 17 write, different groups
// reason: has memory_order_release, which does not acquire
// fix: memory_order_acq_rel
// run: -g 7 -l 1 -a buf:7 -a buf:7:fill=0 -a buf:7
// The second work-item to reach a parent releases but does not acquire what the first did.
kernel void k(global int *value, global atomic_int *arrived, global int *log_of)
{
    int i = (int)get_global_id(0);
    if (i < 3)
        return;
    value[i] = i;
    while (i) {
        i = (i - 1) / 2;
        if (atomic_fetch_add_explicit(&arrived[i], 1, memory_order_release, memory_scope_device) == 0)
            return;
        value[i] = value[2 * i + 1] + value[2 * i + 2];
        log_of[i] = (int)get_global_id(0);
    }
}
