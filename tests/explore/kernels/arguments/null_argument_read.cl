// Options: --arg null --arg buf:1
// Expect: flags out_of_bounds, race none
kernel void k(global const int *in, global int *out)
{
    *out = *in;
}
