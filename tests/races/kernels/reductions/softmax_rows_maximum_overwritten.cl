// expect: data-race
// at: 12 read, 15 write, same group
// run: -g 16 -l 8 -a buf:32:rand=1 -a buf:32 -a 16 -a local:32
// The sums of the second reduction overwrite the maximum before all have read it.
kernel void softmax(global const float *x, global float *y, int cols, local float *s) {
    int row = get_group_id(0), l = get_local_id(0), n = get_local_size(0);
    float m = -INFINITY;
    for (int c = l; c < cols; c += n) m = fmax(m, x[row * cols + c]);
    s[l] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = n / 2; w; w /= 2) { if (l < w) s[l] = fmax(s[l], s[l + w]); barrier(CLK_LOCAL_MEM_FENCE); }
    m = s[0];
    float sum = 0;
    for (int c = l; c < cols; c += n) sum += exp(x[row * cols + c] - m);
    s[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = n / 2; w; w /= 2) { if (l < w) s[l] += s[l + w]; barrier(CLK_LOCAL_MEM_FENCE); }
    for (int c = l; c < cols; c += n) y[row * cols + c] = exp(x[row * cols + c] - m) / s[0];
}
