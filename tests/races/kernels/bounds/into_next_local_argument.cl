// expect: out-of-bounds
// at: 8
// run: -g 4 -l 4 -a local:16 -a local:16 -a buf:4
// The access is one element past the end of the first local array, which the second one follows.
kernel void k(local int *a, local int *b, global int *out)
{
    int l = get_local_id(0);
    a[l + 1] = l;
    b[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[l] + b[l];
}
