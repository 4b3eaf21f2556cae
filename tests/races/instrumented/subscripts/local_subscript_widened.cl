// expect: out-of-bounds
// run: -g 16 -l 16 -a buf:64
kernel void k(global int *out)
{
    local int a[16];
    uint i = get_local_id(0) - 5u;
    a[(ulong)i + 5] = i;
    out[get_global_id(0)] = 1;
}
