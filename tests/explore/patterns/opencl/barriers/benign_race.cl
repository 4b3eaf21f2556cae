// All work-items write the same value: still a race [CL 3.3.6 G17].
// Expect: race found
// Options: --global 4 --local 4 --arg buf:20:zero
__kernel void k(__global int *a)
{
    a[0] = 7;
}
