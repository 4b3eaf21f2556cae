kernel void square(global uint *out, uint n)
{
    out[get_global_id(0)] = 0;
    if (n * n == 49)
        out[0] = 1;
}
