// expect: data-race
// run: -g 16 -l 4 -a buf:1
// A sum of floats without atomics.
kernel void k(global float *sum)
{
    *sum += 1.5f;
}
