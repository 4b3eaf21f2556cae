// expect: data-race
// at: 9 write, 9 write, same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 4 -a buf:16
// Vectors of four, three apart.
kernel void k(global int *out)
{
    int i = get_global_id(0);
    vstore4((int4)(i), 0, out + 3 * i);
}
