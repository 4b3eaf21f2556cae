// expect: clean
// run: -g 8 -l 8 -a buf:10:iota -a buf:10
// Two buffers that swap roles need only one barrier per iteration.
kernel void k(global float *a, global float *b)
{
    int i = get_local_id(0) + 1;
    global float *from = a, *to = b;
    for (int round = 0; round < 4; round++) {
        to[i] = (from[i - 1] + from[i + 1]) / 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
        global float *t = from;
        from = to;
        to = t;
    }
}
