// expect: data-race
// run: -g 5 --offset 7168 -l 5 -a buf:64 -a buf:16 -a 7168 --print 0
// Bytes of work-items are half a MiB apart, and the subscript of the first wraps around to 0: that byte is restored, too, when the
// interpreter begins again.
kernel void k(global uchar *data, global uint *racy, uint first)
{
    uint i = get_global_id(0);
    if (i <= first)
        data[i * 0x80000u + 0x20000000u] += 1;
    racy[0] = i;
}
