// expect: data-race
// at: 10 read, 10 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:16:iota -a buf:2
// Eight work-items set bits of one byte.
kernel void k(global const int *a, global uchar *bits)
{
    int i = get_global_id(0);
    if (a[i] & 1)
        bits[i / 8] |= 1 << (i % 8);
}
