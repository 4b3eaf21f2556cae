// expect: clean
// run: -g 8 -l 4 -a buf:8
kernel void k(global uchar *out)
{
    out[get_global_id(0)] = (uchar)get_global_id(0);
}
