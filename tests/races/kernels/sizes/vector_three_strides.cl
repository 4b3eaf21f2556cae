// expect: data-race
// at: 10 write, 12 write, same group
// reason: no synchronization orders the two accesses
// run: -g 4 -l 4 -a buf:16
// int3 elements lie four words apart, vstore3 writes three.
kernel void k(global int *a)
{
    int i = get_global_id(0);
    if (i & 1)
        ((global int3 *)a)[i] = (int3)(i);
    else
        vstore3((int3)(i), i + 1, a);
}
