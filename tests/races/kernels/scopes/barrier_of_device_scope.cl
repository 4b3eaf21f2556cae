// expect: data-race
// at: 9 write, 11 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:8 -a buf:8
// A barrier with device memory scope synchronizes its work-group only.
kernel void k(global int *a, global int *o)
{
    int i = get_global_id(0);
    a[i] = i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    o[i] = a[(i + 4) % 8];
}
