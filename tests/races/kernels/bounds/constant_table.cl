// expect: clean
// run: -g 16 -l 4 -a buf:64
constant int table[4] = {3, 1, 4, 1};
kernel void k(global int *out)
{
    out[get_global_id(0)] = table[get_global_id(0) % 4];
}
