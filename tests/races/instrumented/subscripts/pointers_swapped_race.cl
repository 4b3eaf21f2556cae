// expect: data-race
// run: -g 64 -l 16 -a buf:256:iota -a buf:256:iota -a 5 --print 0 --print 1
// As pointers_swapped.cl, but the neighbor's element is read.
kernel void k(global int *a, global int *b, int n)
{
    global int *from = n & 2 ? b : a, *to = n & 2 ? a : b;
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        to[i] = from[(i + 1) & 63] * 3 + k;
        global int *other = from;
        from = to;
        to = other;
    }
}
