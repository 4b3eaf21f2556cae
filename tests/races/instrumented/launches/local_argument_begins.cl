// expect: clean
// run: -g 200 -l 24 -a buf:200 -a local:96 -p o
// As local_memory_begins.cl, with a local argument and a work-group function.
kernel void k(global uint *o, local uint *t)
{
    uint l = get_local_id(0), sum = work_group_reduce_add(l);
    o[get_global_id(0)] = t[l] + sum;
    t[l] = l + 1;
}
