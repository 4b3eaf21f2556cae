// expect: clean
// run: -g 16 -l 4 -a buf:16:iota -a buf:16
// Flags of one byte each.
kernel void k(global const int *in, global uchar *flags)
{
    flags[get_global_id(0)] = in[get_global_id(0)] > 7;
}
