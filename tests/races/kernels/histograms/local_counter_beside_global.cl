// expect: data-race
// at: 12 write, 12 write, same group
// reason: order local memory only, the accesses are to global memory
// run: -g 8 -l 8 -a buf:1
// An atomic in local memory counts; each work-item that counts also writes the global copy plainly.
kernel void k(global int *last)
{
    local atomic_int n;
    if (get_local_id(0) == 0)
        atomic_init(&n, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    *last = atomic_fetch_add_explicit(&n, 1, memory_order_acq_rel, memory_scope_work_group);
}
