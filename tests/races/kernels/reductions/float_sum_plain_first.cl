// expect: data-race
// at: 12 read, 16 atomic-rmw, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:8:iota -a buf:1
// The first value is read without an atomic.
kernel void k(global const int *x, volatile global float *sum)
{
    union {
        uint u;
        float f;
    } o, n, c;
    c.f = *sum;
    do {
        o.u = c.u;
        n.f = o.f + x[get_global_id(0)];
        c.u = atomic_cmpxchg((volatile global uint *)sum, o.u, n.u);
    } while (c.u != o.u);
}
