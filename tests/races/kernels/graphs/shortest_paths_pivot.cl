// expect: clean
// run: -g 4,4 -l 2,2 -a buf:16:fill=-1 -a 4 -a 1
// One pivot step in place, which does not write the pivot's row and column.
kernel void fw(global int *d, int n, int k) {
    int i = get_global_id(1), j = get_global_id(0);
    if (i == k || j == k) return;
    int via = d[i * n + k] + d[k * n + j];
    if (via < d[i * n + j]) d[i * n + j] = via;
}
