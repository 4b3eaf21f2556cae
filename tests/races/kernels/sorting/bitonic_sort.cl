// expect: clean
// run: -g 16 -l 16 -a buf:16:rand=3 -a local:64
// A bitonic sort of one work-group, a barrier per step.
kernel void k(global int *a, local int *t)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[i];
    for (size_t size = 2; size <= n; size *= 2) {
        for (size_t step = size / 2; step; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            size_t other = i ^ step;
            if (other > i && (t[i] > t[other]) == ((i & size) == 0)) {
                int swap = t[i];
                t[i] = t[other];
                t[other] = swap;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[i];
}
