// expect: data-race
// run: -g 1,16 -l 1,16 -a buf:4 -a buf:64
kernel void k(global int *in, global int *out)
{
    out[get_global_id(1)] = in[get_global_id(0)];
    if (get_global_id(1) == 15)
        in[get_global_id(0)] = 3;
}
