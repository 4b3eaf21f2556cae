// expect: data-race
// at: 11 read, 11 write, different groups or same group; fair: 9 atomic-rmw, 10 read, different groups; fair: 10 read, 11 write, different groups; fair: uniform-write 11 write, 11 write, different groups; fair: 11 write, 12 read, different groups
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:9:iota
// Path halving by plain writes, beside atomic links.
kernel void k(global int *parent)
{
    int x = (int)get_global_id(0) + 1;
    atomic_min((volatile global int *)&parent[x], x - 1);
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
}
