// expect: data-race
// run: -g 5 --offset 7168 -l 5 -a buf:64 -a buf:16 -a 7168 --print 0
// Work-items' bytes are half a MiB apart, and the first subscript wraps around to 0: that byte is restored as
// well when the interpreter starts over.
kernel void k(global uchar *data, global uint *racy, uint first)
{
    uint i = get_global_id(0);
    if (i <= first)
        data[i * 0x80000u + 0x20000000u] += 1;
    racy[0] = i;
}
