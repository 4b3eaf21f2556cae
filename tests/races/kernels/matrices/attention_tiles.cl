// expect: clean
// run: -g 16 -l 8 -a buf:64:rand=1 -a buf:64:rand=2 -a buf:64:rand=3 -a buf:64 -a 16 -a 4 -a local:128 -a local:128
// Attention with keys and values loaded in tiles.
kernel void attn(global const float *Q, global const float *K, global const float *V, global float *O, int N, int d, local float *kt, local float *vt) {
    int l = get_local_id(0), row = get_global_id(0), ls = get_local_size(0);
    float m = -INFINITY, den = 0, acc[16];
    for (int c = 0; c < 16; c++) acc[c] = 0;
    if (d > 16) d = 16;
    for (int t = 0; t < N; t += ls) {
        for (int c = 0; c < d; c++) { kt[l * d + c] = K[(t + l) * d + c]; vt[l * d + c] = V[(t + l) * d + c]; }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < ls; j++) {
            float s = 0;
            for (int c = 0; c < d; c++) s += Q[row * d + c] * kt[j * d + c];
            float mn = fmax(m, s), f = exp(m - mn), p = exp(s - mn);
            den = den * f + p;
            for (int c = 0; c < d; c++) acc[c] = acc[c] * f + p * vt[j * d + c];
            m = mn;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int c = 0; c < d; c++) O[row * d + c] = acc[c] / den;
}
