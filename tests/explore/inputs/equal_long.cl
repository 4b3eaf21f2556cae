kernel void k(global long *x, global ulong *y, global int *out)
{
    if (x[0] == -7 && y[0] == 8000000000UL)
        out[0] = get_global_id(0);
}
