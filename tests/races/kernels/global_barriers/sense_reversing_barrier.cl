// expect: clean
// run: -g 4 -l 1 -a buf:8 -a buf:1 -a buf:1
// A sense-reversing barrier in a loop: the last to arrive resets the count and flips the sense.
#define S memory_scope_device
void meet(global atomic_int *count, global atomic_int *sense, int *mine, int all)
{
    *mine = !*mine;
    if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, S) == all - 1) {
        atomic_store_explicit(count, 0, memory_order_relaxed, S);
        atomic_store_explicit(sense, *mine, memory_order_release, S);
    } else
        while (atomic_load_explicit(sense, memory_order_acquire, S) != *mine)
            ;
}
kernel void k(global int *a, global atomic_int *count, global atomic_int *sense)
{
    int i = (int)get_global_id(0), n = (int)get_global_size(0), mine = 0;
    for (int round = 0; round < 3; round++) {
        a[(round & 1) * n + i] = round + i + a[(~round & 1) * n + (i + 1) % n];
        meet(count, sense, &mine, n);
    }
}
