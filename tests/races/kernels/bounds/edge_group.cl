// expect: clean
// run: -g 10 -l 4 -a buf:40
kernel void k(global int *out)
{
    local int t[4];
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[n - 1 - i];
}
