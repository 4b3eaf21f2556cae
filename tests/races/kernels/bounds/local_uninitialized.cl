// expect: uninitialized-read
// at: 11; uninitialized 11
// run: -c race,memory,uninitialized -g 4 -l 4 -a buf:4
// Local memory is uninitialized until it is written.
kernel void k(global int *out)
{
    local int t[8];
    size_t l = get_local_id(0);
    t[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l + 4];
}
