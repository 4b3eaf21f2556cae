// expect: data-race
// at: 14 write, 19 read, same group
// reason: order local memory only
// run: -g 8 -l 8 -a buf:8 -a buf:1
// A flag in local memory does not publish global data.
kernel void k(global int *out, global int *data)
{
    local atomic_int flag;
    size_t l = get_local_id(0);
    if (l == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        *data = 42;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
            ;
        out[l] = *data;
    }
}
