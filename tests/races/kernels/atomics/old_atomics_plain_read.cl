// expect: data-race
// at: 8 atomic-rmw, 9 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:1 -a buf:8
// The result is read while others still count.
kernel void k(volatile global int *n, global int *out)
{
    atomic_inc(n);
    out[get_global_id(0)] = *n;
}
