// expect: barrier-divergence
// run: -g 16 -l 16 -a buf:16
kernel void k(global uint *o)
{
    uint i = get_local_id(0);
    if (i > 3)
        o[i] = work_group_reduce_add(i);
}
