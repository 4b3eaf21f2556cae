// expect: signed-overflow
// run: -g 64 -l 16 -a buf:64:fill=2
kernel void k(global int *a)
{ // 2 to the power of 66
    size_t i = get_global_id(0);
    long x = (long)a[i] << 32;
    a[i] = (int)(x * x >> 40) + 1;
}
