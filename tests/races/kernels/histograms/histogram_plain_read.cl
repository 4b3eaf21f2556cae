// expect: data-race
// at: 7 atomic-rmw, 8 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:32:iota -a buf:16
kernel void k(global int *in, global volatile int *bins)
{
    atomic_add(&bins[0], 1);
    in[get_global_id(0)] = bins[0];
}
