// expect: clean
// run: -g 8 -l 4 -a buf:8:iota
// A prefetch is no access.
kernel void k(global int *a)
{
    prefetch(a, 8);
    a[get_global_id(0)] = 1;
}
