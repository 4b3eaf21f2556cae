// The last element of one work-item's vector is the first of the other's.
// Expect: race found
// Options: --global 2 --local 2 --arg buf:7:zero
__kernel void k(__global int *out)
{
    int i = get_global_id(0);

    vstore4((int4)(i), 0, out + 3 * i);
}
