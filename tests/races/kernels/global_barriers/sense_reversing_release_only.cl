// expect: data-race
// at: 22 read, 22 write, different groups
// reason: has memory_order_release, which does not acquire
// run: -g 4 -l 1 -a buf:8 -a buf:1 -a buf:1
// The count is updated with release alone: the last to arrive does not acquire the others' writes, so its
// store of the sense does not publish them.
#define S memory_scope_device
void meet(global atomic_int *count, global atomic_int *sense, int *mine, int all)
{
    *mine = !*mine;
    if (atomic_fetch_add_explicit(count, 1, memory_order_release, S) == all - 1) {
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
