// expect: data-race
// at: 9 write, 14 read, same group
// reason: no synchronization orders the two accesses
// run: -g 32 -l 8 -a buf:32:iota -a buf:32 -a local:40
// The barrier after the load is missing.
kernel void k(global const int *in, global int *out, local int *t)
{
    int i = (int)get_global_id(0), n = (int)get_global_size(0), l = (int)get_local_id(0), m = (int)get_local_size(0);
    t[l + 1] = in[i];
    if (l == 0)
        t[0] = in[max(i - 1, 0)];
    if (l == m - 1)
        t[m + 1] = in[min(i + 1, n - 1)];
    out[i] = t[l] + t[l + 1] + t[l + 2];
}
