// expect: clean
// run: --repeat 2 -g 8 -l 4 -a buf:32
kernel void k(global int *a)
{
    a[7 - get_global_id(0)] += 1;
}
