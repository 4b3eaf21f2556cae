// expect: clean
// run: -g 4 -l 1 -a buf:4
// Every work-item stores to a separate component of a vector.
kernel void k(global int4 *a)
{
    ((global int *)a)[get_global_id(0)] = 2;
}
