// expect: data-race
// at: 13 read, 13 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:64:iota
kernel void k(global int *a)
{
    local int t[16];
    size_t i = get_local_id(0);
    t[i] = a[i];
    for (size_t s = 1; s < 16; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i >= s)
            t[i] += t[i - s];
    }
    a[i] = t[i];
}
