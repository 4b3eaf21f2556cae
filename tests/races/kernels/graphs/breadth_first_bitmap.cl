// expect: clean
// run: -g 8 -l 4 -a buf:1:fill=1 -a buf:8 -a buf:8:fill=-1 -a buf:1
// The work-item that sets the bit of a vertex writes its distance and its slot of the frontier.
kernel void k(global uint *seen, global int *frontier, global int *distance, global int *count)
{
    int from = get_global_id(0);
    for (int e = 1; e < 4; e++) {
        int to = (from + e * e) % 8;
        if (atomic_or((volatile global uint *)seen, 1u << to) >> to & 1)
            continue;
        distance[to] = 1;
        frontier[atomic_inc((volatile global int *)count)] = to;
    }
}
