// Options: --arg buf:3:rand=3 --arg buf:2:below=10 --arg buf:2:rand=3 --arg buf:1 --assert 'out[0] == 1'
// Expect: condition holds, race none
/* The same random values as in refcl kernel, from which these expectations are taken. */
kernel void k(global const uint *a, global const char *b, global const float *f, global int *out)
{
    out[0] = a[0] == 1846393814 && a[2] == 2094774282 && b[0] == 5 && b[1] == 8 && f[1] == 0.519338667f;
}
