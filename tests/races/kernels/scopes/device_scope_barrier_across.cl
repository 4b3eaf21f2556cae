// expect: data-race
// at: 9 write, 11 read, different groups
// reason: different work-groups
// run: -g 8 -l 4 -a buf:8 -a buf:8
// The memory scope of a barrier does not make other work-groups wait.
kernel void k(global int *a, global int *out)
{
    size_t g = get_global_id(0);
    a[g] = (int)g;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[g] = a[7 - g];
}
