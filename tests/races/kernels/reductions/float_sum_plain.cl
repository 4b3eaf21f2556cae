// expect: data-race
// at: 8 read, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:1
// A sum of floats without atomics.
kernel void k(global float *sum)
{
    *sum += 1.5f;
}
