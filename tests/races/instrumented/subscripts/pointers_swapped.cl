// expect: clean
// run: -g 64 -l 16 -a buf:256:iota -a buf:256:iota -a 5 --print 0 --print 1
// Which argument a pointer points to is known only at run time.
constant int even[4] = {1, 2, 3, 4}, odd[4] = {5, 6, 7, 8};
global int seen[16];
kernel void k(global int *a, global int *b, int n)
{
    global int *from = n & 2 ? b : a, *to = n & 2 ? a : b;
    int i = get_global_id(0);
    constant int *table = i & 1 ? odd : even;
    for (int k = 0; k < n; k++) {
        to[i] = from[i] * 3 + k;
        global int *other = from;
        from = to;
        to = other;
    }
    if (i < 16)
        seen[i] = from[i];
    to[i] += table[i & 3];
}
