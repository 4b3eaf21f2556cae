// expect: data-race
// kind: uniform-write
// at: 13 write, 13 write, same group; 17 write, 17 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota
// Work-items that find work left all write the same value to a flag: equal values conflict as well.
kernel void k(global int *a)
{
    local int again;
    int i = (int)get_local_id(0);
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        again = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (a[i] > 0) {
            a[i]--;
            again = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (again);
}
