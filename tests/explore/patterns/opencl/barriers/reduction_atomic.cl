// Each work-group adds its sum to one counter.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 4 --local 2 --arg buf:4:iota --arg buf:1:zero --assert out[0]==6
__kernel void k(__global const int *in, __global atomic_int *out)
{
    __local int part[2];
    int i = get_local_id(0);

    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        atomic_fetch_add_explicit(out, part[0] + part[1], memory_order_relaxed, memory_scope_device);
}
