// expect: data-race
// at: 9 write, 11 atomic-rmw, same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 4 -a buf:1
// atomic_init is not atomic itself [CLC 6.15.12.1].
kernel void k(global int *out)
{
    local atomic_int count;
    if (get_local_id(0) == 0)
        atomic_init(&count, 0);
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_work_group);
}
