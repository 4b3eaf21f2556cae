// expect: data-race
// at: 17 write, 19 read, same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 4 -a buf:16:iota -a local:64
// The update reads elements of other rows, which are scaled without a barrier after it.
kernel void k(global float *a, local float *l)
{
    uint i = get_local_id(0);
    for (uint j = 0; j < 4; j++)
        l[i * 4 + j] = i == j ? 10.0f : 1.0f / (float)(1 + i + j);
    for (uint step = 0; step < 4; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == step)
            l[step * 4 + step] = sqrt(l[step * 4 + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i > step)
            l[i * 4 + step] /= l[step * 4 + step];
        for (uint j = step + 1; j <= i; j++)
            l[i * 4 + j] -= l[i * 4 + step] * l[j * 4 + step];
    }
    for (uint j = 0; j < 4; j++)
        a[i * 4 + j] = l[i * 4 + j];
}
