// expect: clean
// run: -g 8 -l 4 -a buf:3:iota -a buf:8:iota -a buf:2
// A row per work-group, summed by a tree in local memory.
kernel void k(global const int *rows, global const int *x, global int *y)
{
    local int part[4];
    int l = get_local_id(0), r = get_group_id(0), sum = 0;
    for (int j = rows[r] * 4 + l; j < rows[r + 1] * 4; j += 4)
        sum += x[j];
    part[l] = sum;
    for (int s = 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            part[l] += part[l + s];
    }
    if (l == 0)
        y[r] = part[0];
}
