// expect: out-of-bounds
// at: 7
// run: -g 1 -l 1 -a buf:4 -a buf:4
// A pointer to one buffer must not access another buffer, even if that is adjacent in memory.
kernel void k(global int *a, global int *b)
{
    a[b - a] = 1;
}
