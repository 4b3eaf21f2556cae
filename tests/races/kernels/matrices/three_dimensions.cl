// expect: clean
// run: -g 4,2,2 -l 2,1,2 -a buf:16
// Every work-item of a three-dimensional range has its own element.
kernel void k(global int *a)
{
    size_t i = get_global_id(0) + 4 * (get_global_id(1) + 2 * get_global_id(2));
    a[i] = (int)i;
}
