// Options: --arg null --arg buf:1 --assert 'out[0] == 7'
// Expect: condition holds, flags none, race none
kernel void k(global const int *in, global int *out)
{
    *out = in ? *in : 7;
}
