// Vectors of three at a distance of three elements: each work-item has its own.
// Expect: condition holds, race none
// Options: --global 2 --local 2 --arg buf:6:zero --assert "forall (out[0]==1 and out[2]==3 and out[3]==1 and out[5]==4)"
__kernel void k(__global int *out)
{
    int i = get_global_id(0);

    vstore3((int3)(1, 2, 3), i, out);
    int3 v = vload3(i, out);
    out[3 * i + 2] = v.z + i;
}
