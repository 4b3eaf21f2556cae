// expect: data-race
// at: 8 read, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// fix: one atomic operation
// run: -g 64 -l 8 -a buf:256:iota -a buf:16
kernel void k(global int *in, global int *bins)
{
    bins[in[get_global_id(0)] % 4] += 1;
}
