// Options: --global 2 --arg buf:2 --assert 'out[0] == 1 and out[1] == 2'
// Expect: condition holds, race none, divergence none, termination always
int where(int *p)
{
    return to_local(p) ? 1 : to_global(p) ? 2 : to_private(p) ? 3 : 4;
}
kernel void tell(global int *out)
{
    local int l;
    int *p = get_local_id(0) == 0 ? (int *)&l : (int *)out;
    out[get_global_id(0)] = where(p);
}
