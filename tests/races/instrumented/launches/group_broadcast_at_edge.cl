// expect: out-of-bounds
// run: -g 20 -l 16 -a buf:20:iota -a buf:20
// The last work-group has four work-items; the broadcast id is out of range in it.
kernel void k(global const uint *a, global uint *o)
{
    o[get_global_id(0)] = work_group_broadcast(a[get_global_id(0)], 4);
}
