kernel void gather(global int *out, global const int *idx, int n)
{
    int i = get_global_id(0);
    if (idx[i] < n)
        out[idx[i]] = i;
}
