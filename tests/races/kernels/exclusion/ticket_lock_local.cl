// expect: clean
// run: -g 8 -l 8
// A ticket lock in local memory, with work-group scope.
kernel void k(void)
{
    local atomic_int next, serving;
    local int sum;
    if (get_local_id(0) == 0) {
        atomic_init(&next, 0);
        atomic_init(&serving, 0);
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_work_group);
    while (atomic_load_explicit(&serving, memory_order_acquire, memory_scope_work_group) != mine)
        ;
    sum += mine;
    atomic_store_explicit(&serving, mine + 1, memory_order_release, memory_scope_work_group);
}
