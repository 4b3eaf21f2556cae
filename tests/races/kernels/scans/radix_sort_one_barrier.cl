// expect: data-race
// at: 16 write, 18 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// As radix_sort.cl without the barrier after the read.
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
    }
    o[l] = v;
}
