// expect: data-race
// at: 9 write, 9 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 2 -a buf:25
// Four elements at a distance of three overlap.
kernel void k(global int *a)
{
    size_t i = get_global_id(0);
    vstore4((int4)((int)i), 0, a + 3 * i);
}
