// expect: clean
// run: -g 12 -l 4 -a buf:8:iota -a buf:1 -a buf:8
// Work-items claim indices of tasks that the host wrote; only the work-item that claimed a task accesses it.
kernel void k(global const int *tasks, global atomic_int *next, global int *out)
{
    for (;;) {
        int i = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
        if (i >= 8)
            return;
        out[tasks[i]] += 1;
    }
}
