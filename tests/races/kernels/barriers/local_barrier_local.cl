// expect: clean
// run: -g 16 -l 8 -a buf:64
kernel void k(global int *out)
{
    local int t[8];
    size_t i = get_local_id(0);
    t[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[7 - i];
}
