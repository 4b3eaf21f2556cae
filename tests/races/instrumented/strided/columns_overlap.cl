// expect: data-race
// run: -g 24,16 -l 8,8 -a buf:384:iota -a buf:384 -p o
// As columns_of_rows.cl, with columns that overlap by one element.
kernel void k(global const uint *a, global uint *o)
{
    uint x = get_global_id(0), y = get_global_id(1);
    o[x * (get_global_size(1) - 1) + y] = a[y * get_global_size(0) + x];
}
