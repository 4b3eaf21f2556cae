kernel void sum(global uint *out, uint n)
{
    uint s = 0;
    for (uint k = 0; k < n; k++)
        s += k;
    if (get_global_id(0) == 0 || s == 10)
        out[0] = s;
}
