// expect: data-race
// at: 8 write, 12 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:16:iota -a local:32
// The second call writes the scratch memory that the first call may still read.
int total(int x, local int *t)
{
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += t[i];
    return sum;
}
kernel void k(global int *a, local int *t)
{
    size_t l = get_local_id(0);
    a[l] = total(a[l], t);
    a[l + 8] = total(a[l + 8], t);
}
