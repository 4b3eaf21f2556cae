// expect: clean
// run: -g 2 -l 1 -a buf:2
// Neighboring words of one 64-bit element.
kernel void k(global uint *a)
{
    a[get_global_id(0)] = 1;
}
