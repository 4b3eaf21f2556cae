// expect: data-race
// at: 11 read, 11 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:10:iota -a buf:10
// The barrier is executed in every other iteration only.
kernel void k(global float *a, global float *b)
{
    int i = get_local_id(0) + 1;
    global float *from = a, *to = b;
    for (int round = 0; round < 4; round++) {
        to[i] = (from[i - 1] + from[i + 1]) / 2;
        if (round % 2)
            barrier(CLK_GLOBAL_MEM_FENCE);
        global float *t = from;
        from = to;
        to = t;
    }
}
