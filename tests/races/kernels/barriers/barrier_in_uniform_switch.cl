// expect: clean
// run: -g 4 -l 4 -a buf:4 -a 1
// All work-items take the same case.
kernel void k(global int *out, int which)
{
    int l = get_local_id(0);
    out[l] = l;
    switch (which) {
    case 1:
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[l ^ 1] += 1;
        break;
    default:
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l ^ 1] = 2;
    }
}
