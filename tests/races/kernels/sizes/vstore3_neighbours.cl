// expect: clean
// run: -g 8 -l 2 -a buf:24
// vstore3 writes three elements and no more.
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    vstore3((int3)((int)i), i, a);
}
