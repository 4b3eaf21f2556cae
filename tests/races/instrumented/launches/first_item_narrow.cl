// expect: data-race
// run: -g 512 -l 512 -a buf:2048:iota -a buf:8 --print 1
// Of 512 work-items, two have ids whose low eight bits equal the constant.
kernel void k(global const int *in, global int *out)
{
    local volatile int most;
    if ((uchar)get_local_id(0) == 0)
        most = in[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&most, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((uchar)get_local_id(0) == 0)
        atomic_max(out, most);
}
