// expect: data-race
// run: -g 64 -l 64 -a buf:256
kernel void k(global int *out)
{
    local char a[16];
    uint i = get_local_id(0);
    if (i % 8 == 0)
        a[i << 29] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[0];
}
