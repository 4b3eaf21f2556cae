kernel void k(global int *a, global int *b, global int *n)
{
    global int *p = n[0] ? a + 1 : b + 1;
    p[-1] = 1;
}
