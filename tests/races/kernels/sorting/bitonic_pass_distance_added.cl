// expect: data-race
// at: 8 read, 9 write, different groups or same group; 9 write, 9 write, same group
// run: -g 16 -l 4 -a buf:64:iota -a 2 -a 4
// The partner is computed by addition in place of exclusive or, so two work-items access an element.
kernel void bitonic_step(global uint *a, uint j, uint k) {
    uint i = get_global_id(0), p = i + j;
    if (p > i) {
        uint x = a[i], y = a[p];
        if (((i & k) == 0) == (x > y)) { a[i] = y; a[p] = x; }
    }
}
