// As private_past_end.cl, with indices in bounds.
// Expect: condition holds, race none, flags none
// Options: --global 2 --local 2 --arg buf:2 --arg 3 --assert "out[0]==3 and out[1]==3"
__kernel void k(__global int *out, int n)
{
    int t[4] = {0, 1, 2, 3};
    out[get_global_id(0)] = t[n];
}
