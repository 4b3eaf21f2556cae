// expect: data-race
// run: -g 4,512 -l 4,1 -a buf:16384
kernel void k(global int *out)
{
    out[(size_t)(uchar)get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)get_global_id(1);
}
