// expect: clean
// run: -g 16 -l 8 -a buf:32:rand=1 -a buf:16:fill=1 -a buf:16 -a buf:32 -a 16 -a 0.001
// The first work-item writes the mean and the deviation.
kernel void layernorm(global const float *x, global const float *gamma, global const float *beta, global float *y, const int D, const float eps) {
    const int row = get_group_id(0), l = get_local_id(0), n = get_local_size(0);
    local float part[256];
    local float mean, rstd;
    float s = 0;
    for (int i = l; i < D; i += n) s += x[row * D + i];
    part[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) { float t = 0; for (int i = 0; i < n; i++) t += part[i]; mean = t / D; }
    barrier(CLK_LOCAL_MEM_FENCE);
    s = 0;
    for (int i = l; i < D; i += n) { float d = x[row * D + i] - mean; s += d * d; }
    part[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) { float t = 0; for (int i = 0; i < n; i++) t += part[i]; rstd = rsqrt(t / D + eps); }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < D; i += n) y[row * D + i] = (x[row * D + i] - mean) * rstd * gamma[i] + beta[i];
}
