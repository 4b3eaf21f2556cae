// expect: clean
// run: -g 16 -l 8 -a buf:64 -a buf:64
kernel void k(global int *a, global int *out)
{
    size_t i = get_global_id(0), base = get_group_id(0) * 8;
    a[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[base + 7 - get_local_id(0)];
}
