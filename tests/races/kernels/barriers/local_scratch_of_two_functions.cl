// expect: data-race
// at: 10 read, 14 write, same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 4 -a buf:4
// Two functions share scratch memory; the second begins before the first is read.
int first(local int *s, int l)
{
    s[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[3 - l];
}
int second(local int *s, int l, int v)
{
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[(l + 1) % 4];
}
kernel void k(global int *out)
{
    local int s[4];
    int l = get_local_id(0);
    out[l] = second(s, l, first(s, l));
}
