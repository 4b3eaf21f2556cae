// expect: data-race
// at: 11 read, 14 write, different groups; 12 read, 14 write, different groups; 13 write, 14 write, different groups; 11 read, 13 write, different groups; fair: 13 read, 13 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:16:rand=5
// As odd_even_sort_global.cl with two work-groups, which no barrier synchronizes.
kernel void k(global int *a)
{
    int i = (int)get_global_id(0);
    for (int round = 0; round < 16; round++) {
        int at = 2 * i + round % 2;
        if (at + 1 < 16 && a[at] > a[at + 1]) {
            int swap = a[at];
            a[at] = a[at + 1];
            a[at + 1] = swap;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
