// expect: clean
// run: -g 4,4 -l 4,4 -a buf:32:iota
// Each step reads one copy and writes the other.
kernel void k(global int *d)
{
    int i = (int)get_local_id(1), j = (int)get_local_id(0), from = 0;
    for (int m = 0; m < 4; m++, from = 16 - from) {
        global int *s = d + from, *t = d + 16 - from;
        t[i * 4 + j] = min(s[i * 4 + j], s[i * 4 + m] + s[m * 4 + j]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
