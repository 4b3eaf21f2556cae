// expect: clean
// run: -g 8 -l 4 -a buf:8 --repeat 3
// Launches in one in-order queue are ordered [CL 3.3.6 H5].
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    a[7 - i] = (int)i;
}
