// expect: data-race
// at: 11 read, 11 write, same group
// reason: fences local memory only, the accesses are to global memory
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// Two buffers swap roles after a barrier for local memory only.
kernel void k(global int *a, global int *b)
{
    int i = get_global_id(0);
    global int *p = a, *q = b;
    for (int r = 0; r < 4; r++) {
        q[i] = (p[i > 0 ? i - 1 : 0] + p[i < 7 ? i + 1 : 7]) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        global int *t = p;
        p = q;
        q = t;
    }
}
