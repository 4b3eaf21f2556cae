// expect: clean
// run: -g 200 -l 24 -a buf:200 -p o
// Each work-group finds in local memory what the first one does, not what the one before has left there.
kernel void k(global uint *o)
{
    local uint t[24];
    uint l = get_local_id(0);
    o[get_global_id(0)] = t[l];
    t[l] = l + 1;
}
