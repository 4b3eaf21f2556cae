// expect: data-race
// kind: uniform-write
// at: 8 write, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:4
kernel void k(global int *out)
{
    out[0] = 1;
}
