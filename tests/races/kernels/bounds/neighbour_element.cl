// expect: data-race
// at: 8 write, 9 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:128
kernel void k(global int *out)
{
    size_t i = get_global_id(0);
    out[i] = (int)i;
    out[i + 1] += 1;
}
