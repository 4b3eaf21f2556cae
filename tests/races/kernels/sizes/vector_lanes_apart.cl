// expect: clean
// run: -g 4 -l 1 -a buf:4
// Every work-item stores to a lane of its own.
kernel void k(global int4 *a)
{
    ((global int *)a)[get_global_id(0)] = 2;
}
