// expect: data-race
// at: 8 read, 9 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 2 -a buf:5:fill=-1 -a 1
// Several neighbors give a vertex the same level.
kernel void k(global int *level, int depth)
{
    if (level[4] == -1)
        level[4] = depth;
}
