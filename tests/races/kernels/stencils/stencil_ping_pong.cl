// expect: clean
// run: -g 16 -l 16 -a buf:16:iota -a buf:16
// Two buffers swap roles after a barrier for global memory.
kernel void k(global int *a, global int *b)
{
    int i = get_local_id(0);
    global int *p = a, *q = b;
    for (int r = 0; r < 4; r++) {
        q[i] = p[(i + 15) % 16] ^ p[(i + 1) % 16];
        barrier(CLK_GLOBAL_MEM_FENCE);
        global int *t = p;
        p = q;
        q = t;
    }
}
