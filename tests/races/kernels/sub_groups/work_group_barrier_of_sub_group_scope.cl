// expect: clean
// run: -k k --global 4 --local 4 --arg buf:4
/* A work-group barrier orders local memory of the whole group, whatever its scope [CL 3.3.6 W8] [CLC 6.15.8].
 * */
__attribute__((intel_reqd_sub_group_size(2)))
kernel void k(global int *out)
{
    local int a[4];
    int i = get_local_id(0);
    a[i] = i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    out[i] = a[3 - i];
}
