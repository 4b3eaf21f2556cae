// A vector of three in private memory is moved as four components, the fourth of which is undefined.
// Expect: condition holds, race none
// Options: --global 2 --local 2 --arg buf:8:zero --assert "forall (out[0]==5 and out[1]==7 and out[5]==8)"
__kernel void k(__global int *out)
{
    int i = get_global_id(0);
    int3 v = (int3)(5, 6 + i, 1);

    v.y += v.z;
    out[4 * i] = v.x;
    out[4 * i + 1] = v.y;
}
