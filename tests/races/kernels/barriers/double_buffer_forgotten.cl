// expect: data-race
// at: 15 read, 15 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:16:iota
// The last line reads and writes the same half of the double buffer.
kernel void k(global int *a)
{
    int i = (int)get_local_id(0), now = 0;
    for (int step = 0; step < 5; step++) {
        a[(1 - now) * 8 + i] = a[now * 8 + (i + 1) % 8];
        if (step != 2)
            now = 1 - now;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    a[i] += a[(i + 3) % 8];
}
