// expect: data-race
// at: 7 read, 8 write, different groups or same group
// run: -g 4,4 -l 2,2 -a buf:16:fill=-1 -a 4 -a 1
// A negative distance changes the pivot's row, which all work-items read.
kernel void fw(global int *d, int n, int k) {
    int i = get_global_id(1), j = get_global_id(0);
    int via = d[i * n + k] + d[k * n + j];
    if (via < d[i * n + j]) d[i * n + j] = via;
}
