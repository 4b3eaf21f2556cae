// expect: clean
// run: -g 16 -l 4 -a buf:64:iota -a 2 -a 4
// One pass over global memory: one work-item compares each pair of elements.
kernel void bitonic_step(global uint *a, uint j, uint k) {
    uint i = get_global_id(0), p = i ^ j;
    if (p > i) {
        uint x = a[i], y = a[p];
        if (((i & k) == 0) == (x > y)) { a[i] = y; a[p] = x; }
    }
}
