// expect: data-race
// at: 8 read, 18 atomic-rmw, same group; sequential: 9 read, 18 atomic-rmw, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:9:iota
// Connected components: links are set by compare-exchange, but followed by plain reads.
int find(volatile global int *parent, int x)
{
    while (parent[x] != x)
        x = parent[x];
    return x;
}
kernel void k(volatile global int *parent)
{
    int x = (int)get_global_id(0), a = x, b = x + 1;
    do {
        a = find(parent, a);
        b = find(parent, b);
    } while (a != b && atomic_cmpxchg(&parent[max(a, b)], max(a, b), min(a, b)) != max(a, b));
}
