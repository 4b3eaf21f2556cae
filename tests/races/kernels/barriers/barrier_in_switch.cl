// expect: barrier-divergence
// at: 11
// run: -g 4 -l 4 -a buf:4
// Two cases have a barrier each: those are two barriers.
kernel void k(global int *out)
{
    int l = get_local_id(0);
    switch (l & 1) {
    case 0:
        out[l] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        break;
    default:
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[l] = 2;
    }
}
