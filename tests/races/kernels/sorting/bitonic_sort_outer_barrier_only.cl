// expect: data-race
// at: 14 read, 16 write, same group; 14 read, 17 write, same group; 16 read, 17 write, same group; 17 write, 17 write, same group; 15 read, 17 write, same group; 16 write, 17 write, same group; fair: 16 read, 16 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:16:rand=3 -a local:64
// One barrier per size is not enough: the steps of one size exchange elements as well.
kernel void k(global int *a, local int *t)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[i];
    for (size_t size = 2; size <= n; size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t step = size / 2; step; step /= 2) {
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
