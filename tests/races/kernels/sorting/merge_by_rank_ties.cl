// expect: data-race
// kind: uniform-write
// at: 20 write, 20 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 8 -a buf:16:fill=5 -a buf:16
// Both searches compare with <, so equal elements of both halves get the same rank: two work-items write one
// element.
kernel void k(global const int *a, global int *out)
{
    int i = (int)get_global_id(0), half_size = 8, mine = a[i];
    bool second = i >= half_size;
    int low = second ? 0 : half_size, high = low + half_size, start = low;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < mine)
            low = middle + 1;
        else
            high = middle;
    }
    out[(second ? i - half_size : i) + low - start] = mine;
}
