// expect: data-race
// run: -g 256,4 -l 16,1 -a buf:4096
kernel void k(global int *out)
{
    out[get_global_id(1) * (size_t)(uchar)get_global_size(0) + get_global_id(0)] = (int)get_global_id(1);
}
