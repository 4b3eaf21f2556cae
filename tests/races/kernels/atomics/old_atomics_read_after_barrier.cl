// expect: clean
// run: -g 8 -l 8 -a buf:1 -a buf:8
// The result is read after all have counted.
kernel void k(volatile global int *n, global int *out)
{
    atomic_inc(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = *n;
}
