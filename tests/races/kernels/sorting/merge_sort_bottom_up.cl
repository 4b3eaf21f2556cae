// expect: clean
// run: -g 8 -l 8 -a buf:16:rand=3 -a buf:16
// Runs are merged from one global buffer to the other by one work-group; the barriers fence global memory.
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
        barrier(CLK_GLOBAL_MEM_FENCE);
        global int *swap = a;
        a = b;
        b = swap;
    }
}
