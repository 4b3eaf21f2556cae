// expect: signed-overflow
// run: -g 64 -l 16 -a buf:64:fill=131072
kernel void k(global int *a)
{ // 2 to the power of 34, which is zero modulo 2^33, too
    size_t i = get_global_id(0);
    int x = a[i];
    a[i] = x * x + 1;
}
