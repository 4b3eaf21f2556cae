// Options: --arg buf:2:iota --arg buf:2:iota --arg buf:2:fill=3 --arg buf:1 --assert 'out[0] == 1'
// Expect: condition holds, race none
/* Every scalar of a vector has its own value, as in refcl kernel; so has the fourth of a vector of three. */
kernel void k(global const int4 *a, global const uchar3 *b, global const float2 *c, global int *out)
{
    out[0] = a[0].w == 3 && a[1].x == 4 && a[1].w == 7 && b[1].x == 4 && b[1].z == 6 && c[1].x == 3 && c[0].y == 3;
}
