// expect: data-race
// run: -g 32 -l 16 -a buf:32
// The sum of the sub-group orders no memory, though every work-item contributes.
kernel void k(global uint *o)
{
    local uint t[16];
    uint l = get_local_id(0);
    t[l] = l;
    uint sum = sub_group_reduce_add(l);
    o[get_global_id(0)] = sum + t[l ^ 1];
}
