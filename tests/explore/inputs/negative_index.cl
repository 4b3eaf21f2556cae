kernel void k(global int *out, global int *a, global int *n)
{
    int i = n[0];
    global int *p = a + i;
    if (get_global_id(0) == 0)
        p[-1] = 1;
    else
        out[0] = a[0];
}
