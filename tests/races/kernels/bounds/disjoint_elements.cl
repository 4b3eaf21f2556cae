// expect: clean
// run: -g 16 -l 4 -a buf:64
kernel void k(global int *out)
{
    out[get_global_id(0)] = (int)get_global_id(0);
}
