// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16
// Each element of two sorted halves finds its position by a binary search in the other half.
kernel void k(global const int *a, global int *out)
{
    int i = (int)get_global_id(0), half_size = 8, mine = a[i];
    bool second = i >= half_size;
    int low = second ? 0 : half_size, high = low + half_size, start = low;
    while (low < high) {
        int middle = (low + high) / 2;
        if (second ? a[middle] <= mine : a[middle] < mine)
            low = middle + 1;
        else
            high = middle;
    }
    out[(second ? i - half_size : i) + low - start] = mine;
}
