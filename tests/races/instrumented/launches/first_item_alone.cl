// expect: clean
// run: -g 512 -l 256 -a buf:2048:iota -a buf:8 --print 1
// Between barriers, one work-item writes and reads a local variable, or all access it atomically.
kernel void k(global const int *in, global int *out)
{
    local volatile int most;
    if (get_local_id(0) == 0)
        most = in[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&most, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_max(out, most);
}
