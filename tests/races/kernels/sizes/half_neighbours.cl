// expect: clean
// run: -g 8 -l 4 -a buf:8
// Neighboring halves.
kernel void k(global half *a)
{
    vstore_half(1.0f, get_global_id(0), a);
}
