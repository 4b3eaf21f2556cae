// expect: data-race
// at: 10 read, 13 write, different groups; 10 write, 13 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:64:iota
// As summed_area.cl with two work-groups, which no barrier synchronizes.
kernel void k(global int *a)
{
    uint i = get_global_id(0);
    for (uint x = 1; x < 8; x++)
        a[i * 8 + x] += a[i * 8 + x - 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint y = 1; y < 8; y++)
        a[y * 8 + i] += a[(y - 1) * 8 + i];
}
