// expect: clean
// run: -g 8 -l 8 -a buf:9:iota
// Read, barrier, write: one work-group may shift in place.
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    int v = a[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = v;
}
