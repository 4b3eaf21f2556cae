// expect: data-race
// run: -g 64 -l 16 -a buf:256:iota -a buf:64:iota -a buf:16 --print 0 --print 1 --print 2
// Memory that is accessed at computed positions and by atomics is restored when the interpreter starts over.
kernel void k(global int *data, global int *counts, global int *racy)
{
    int i = get_global_id(0);
    data[(i * 5) & 63] += 7;
    data[(i * 5) & 63] *= 3;
    atomic_add(&counts[data[(i * 5) & 63] & 15], 3);
    if (i > 61)
        racy[0] = i;
}
