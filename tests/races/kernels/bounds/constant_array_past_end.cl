// expect: out-of-bounds
// at: 8
// run: -g 2 -l 2 -a buf:2 -a 4
// A program-scope table with index four.
constant int table[4] = {1, 2, 3, 4};
kernel void k(global int *out, int n)
{
    out[get_global_id(0)] = table[n];
}
