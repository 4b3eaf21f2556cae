// expect: data-race
// at: 9 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:8:fill=-1
// Work-items that find a vertex without a distance all write the same distance.
kernel void k(global int *distance)
{
    int to = (int)get_global_id(0) / 2;
    if (distance[to] == -1)
        distance[to] = 1;
}
