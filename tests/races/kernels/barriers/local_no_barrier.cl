// expect: data-race
// at: 9 write, 10 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 8 -a buf:64
kernel void k(global int *out)
{
    local int t[8];
    size_t i = get_local_id(0);
    t[i] = (int)i;
    out[get_global_id(0)] = t[7 - i];
}
