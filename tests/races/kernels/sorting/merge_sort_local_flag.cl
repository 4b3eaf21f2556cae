// expect: data-race
// at: 15 read, 15 write, same group; 15 write, 15 write, same group
// reason: fences local memory only
// fix: add CLK_GLOBAL_MEM_FENCE to the flags of the barrier
// run: -g 8 -l 8 -a buf:16:rand=3 -a buf:16
// The runs are in global memory, but the barrier fences local memory.
kernel void k(global int *a, global int *b)
{
    const int n = 16;
    for (int width = 1; width < n; width *= 2) {
        int from = (int)get_local_id(0) * 2 * width;
        if (from < n) {
            int i = from, middle = from + width, j = middle, last = from + 2 * width;
            for (int at = from; at < last; at++)
                b[at] = j >= last || (i < middle && a[i] <= a[j]) ? a[i++] : a[j++];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        global int *swap = a;
        a = b;
        b = swap;
    }
}
