// Options: --arg null --arg buf:1
// Error: cannot be null
kernel void k(local int *in, global int *out)
{
    *out = *in;
}
