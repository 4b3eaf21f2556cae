// expect: data-race
// run: -g 16 -l 16 -a buf:2 -a buf:16 -a buf:1
// A work-group sum orders no memory, though every work-item contributes; nor does an atomic on other memory.
kernel void k(global uint *d, global uint *o, global atomic_uint *f)
{
    uint i = get_local_id(0);
    if (i == 1)
        d[0] = 7;
    uint sum = work_group_reduce_add(i);
    atomic_fetch_add_explicit(f, sum, memory_order_acq_rel, memory_scope_device);
    if (i == 0)
        o[0] = d[0];
}
