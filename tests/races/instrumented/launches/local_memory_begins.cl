// expect: clean
// run: -g 200 -l 24 -a buf:200 -p o
// Local memory of each work-group starts like that of the first one, not with what an earlier group left.
kernel void k(global uint *o)
{
    local uint t[24];
    uint l = get_local_id(0);
    o[get_global_id(0)] = t[l];
    t[l] = l + 1;
}
