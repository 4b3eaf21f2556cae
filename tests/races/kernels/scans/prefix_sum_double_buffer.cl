// expect: clean
// run: -g 16 -l 16 -a buf:64:iota
kernel void k(global int *a)
{
    local int t[2][16];
    size_t i = get_local_id(0), from = 0;
    t[0][i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = 1; s < 16; s *= 2) {
        t[1 - from][i] = i >= s ? t[from][i] + t[from][i - s] : t[from][i];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i] = t[from][i];
}
