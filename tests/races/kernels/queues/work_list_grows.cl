// expect: clean
// run: -g 4 -l 1 -a buf:8 -a buf:1 -a buf:8
// As work_list_grows_relaxed.cl, with release and acquire: each addition continues the release sequence of
// the other.
kernel void k(global int *tasks, global atomic_int *count, global int *out)
{
    int i = get_global_id(0);
    if (i < 2) {
        tasks[i] = i + 1;
        atomic_fetch_add_explicit(count, 1, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(count, memory_order_acquire, memory_scope_device) < 2)
            ;
        out[i] = tasks[i - 2];
    }
}
