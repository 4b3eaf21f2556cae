// expect: out-of-bounds
// run: -g 36 -l 36 -a buf:36:iota -a buf:36
// OpGroupBroadcast at sub-group scope: the last sub-group has four work-items; the broadcast id is out of
// range.
uint __attribute__((overloadable)) __spirv_GroupBroadcast(uint scope, uint value, uint id);
kernel void k(global const uint *a, global uint *o)
{
    o[get_global_id(0)] = __spirv_GroupBroadcast(3, a[get_global_id(0)], 4);
}
