// expect: clean
// run: -g 4,4 -l 4,1 -a buf:16:iota
// In-place transposition with one work-item for each pair of elements.
kernel void k(global int *m)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x <= y)
        return;
    int t = m[y * 4 + x];
    m[y * 4 + x] = m[x * 4 + y];
    m[x * 4 + y] = t;
}
