// expect: data-race
// at: 8 write, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 2 -l 2 -a buf:8
kernel void k(global uchar *out)
{
    if (get_global_id(0) == 0)
        *(global uint *)out = 7;
    else
        out[3] = 1;
}
