// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// One bit per iteration: scan, scatter, barrier, read, barrier.
kernel void k(global int *a, global int *o)
{
    local int s[8];
    int l = get_local_id(0);
    int v = a[l] * 3 & 7;
    for (int b = 0; b < 3; b++) {
        int bit = v >> b & 1;
        int z = work_group_scan_exclusive_add(1 - bit);
        int nz = work_group_reduce_add(1 - bit);
        int at = bit ? nz + l - z : z;
        s[at] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = s[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = v;
}
