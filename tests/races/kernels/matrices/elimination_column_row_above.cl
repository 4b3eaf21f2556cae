// expect: data-race
// at: 10 read, 10 write, different groups or same group
// run: -g 8 -l 4 -a buf:64:fill=2 -a 8 -a 1
// Each work-item subtracts from the row of its neighbor.
kernel void lu_col(global float *A, int n, int k) {
    int i = get_global_id(0) + k + 1;
    if (i >= n) return;
    float f = A[i * n + k] / A[k * n + k];
    A[i * n + k] = f;
    for (int j = k + 1; j < n; j++) A[(i - 1) * n + j] -= f * A[k * n + j];
}
