// expect: data-race
// at: 9 write, 11 read, different sub-groups
// reason: no synchronization orders the two accesses
// run: -g 64 -l 64 -a buf:1 -a buf:64
// A sub-group barrier, whatever its scope, does not synchronize with other sub-groups.
kernel void k(global int *first, global int *out)
{
    if (get_local_id(0) == 0)
        *first = 8;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[get_global_id(0)] = *first;
}
