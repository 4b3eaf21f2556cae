// expect: data-race
// at: 9 write, 11 read, same group
// reason: fences global memory only, the accesses are to local memory
// run: -g 16 -l 8 -a buf:64
kernel void k(global int *out)
{
    local int t[8];
    size_t i = get_local_id(0);
    t[i] = (int)i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = t[7 - i];
}
