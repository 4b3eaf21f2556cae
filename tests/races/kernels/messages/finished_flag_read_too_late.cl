// expect: data-race
// at: 13 read, 15 write, same group; barrier-divergence 16
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota
// The first work-item resets the flag for the next iteration before the others have read it.
kernel void k(global int *a)
{
    local int again;
    int i = (int)get_local_id(0);
    if (i == 0)
        again = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (again) {
        if (i == 0)
            again = a[0]-- > 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
