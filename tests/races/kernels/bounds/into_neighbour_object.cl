// expect: out-of-bounds
// at: 7
// run: -g 1 -l 1 -a buf:4 -a buf:4
// A pointer to one buffer must not reach into another, wherever that lies.
kernel void k(global int *a, global int *b)
{
    a[b - a] = 1;
}
