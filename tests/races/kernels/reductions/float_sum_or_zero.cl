// expect: clean
// run: -g 8 -l 4 -a buf:8:iota -a buf:1
// The initial value is read with an atomic or of zero.
kernel void k(global const int *x, volatile global float *sum)
{
    union {
        uint u;
        float f;
    } o, n, c;
    c.u = atomic_or((volatile global uint *)sum, 0);
    do {
        o.u = c.u;
        n.f = o.f + x[get_global_id(0)];
        c.u = atomic_cmpxchg((volatile global uint *)sum, o.u, n.u);
    } while (c.u != o.u);
}
