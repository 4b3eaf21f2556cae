// expect: clean
// run: -g 8,4 -l 4,2 --offset 8,4 -a buf:256
// Elements are indexed by global ids of a launch with a global offset.
kernel void k(global int *a)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0) + get_global_offset(0);
    a[y * width + x] = (int)(x + y);
}
