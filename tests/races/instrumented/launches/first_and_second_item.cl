// expect: data-race
// run: -g 64 -l 32 -a buf:2048:iota -a buf:8 --print 1
// One work-item writes the local variable, another one reads it without a barrier in between.
kernel void k(global const int *in, global int *out)
{
    local volatile int most;
    if (get_local_id(0) == 0)
        most = in[get_local_id(0)];
    if (get_local_id(0) == 1)
        atomic_max(out, most);
}
