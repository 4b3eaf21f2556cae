// expect: data-race
// run: -g 64 -l 64 -a buf:65:iota -a buf:64 --print 0 --print 1
// Whether work-items write depends on a racy read.
kernel void k(global int *a, global int *b)
{
    int i = get_global_id(0), x = a[i];
    a[i + 1] = i + 100;
    if (x < 64)
        b[i] = 1;
}
