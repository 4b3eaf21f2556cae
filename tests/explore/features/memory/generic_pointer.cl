// Options: --global 2 --arg buf:2 --assert 'out[0] == 5 and out[1] == 7'
// Expect: condition holds, race none, divergence none, termination always
int get(int *p) { return *p; }
kernel void choose(global int *out)
{
    local int l;
    int mine = 7;
    if (get_local_id(0) == 0)
        l = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = &mine;
    if (get_global_id(0) == 0)
        p = &l;
    out[get_global_id(0)] = get(p);
}
