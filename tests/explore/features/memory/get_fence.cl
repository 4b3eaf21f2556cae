// Options: --global 3 --local 3 --arg buf:3 --assert 'out[0] == 1 and out[1] == 1 and out[2] == 1'
// Expect: condition holds, race none, divergence none, termination always
int which(int *p)
{
    return get_fence(p);
}
kernel void k(global int *out)
{
    local int shared[3];
    int own[2] = {4, 5}, i = get_global_id(0);
    int *p = i == 0 ? (int *)(out + i) : (int *)(shared + i);
    *p = i;
    out[i] = i == 2 ? which(own) == 0 : which(p) == (i == 0 ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
}
