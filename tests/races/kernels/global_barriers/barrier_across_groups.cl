// expect: data-race
// at: 8 write, 10 read, different groups
// reason: different work-groups
// run: -g 16 -l 8 -a buf:64 -a buf:64
kernel void k(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[15 - i];
}
