// expect: data-race
// run: -g 8 -l 4 -a buf:9:iota
// Paths are halved by plain writes beside atomic links.
kernel void k(global int *parent)
{
    int x = (int)get_global_id(0) + 1;
    atomic_min((volatile global int *)&parent[x], x - 1);
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
}
