// expect: clean
// run: -g 64 -l 8 -a buf:256:iota -a buf:16
kernel void k(global int *in, global volatile int *bins)
{
    atomic_add(&bins[in[get_global_id(0)] % 4], 1);
}
