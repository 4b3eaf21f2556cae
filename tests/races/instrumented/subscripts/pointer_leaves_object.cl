// expect: out-of-bounds
// run: -g 1 -l 1 -a buf:64 -a buf:4096 -a 400 --print 0
// Whatever the pointer's value, it may only be used for the argument that it is derived from.
kernel void k(global int *a, global int *b, int n)
{
    global int *p = n & 1 ? b : a;
    for (int k = 0; k < n; k++)
        *p++ = k;
}
