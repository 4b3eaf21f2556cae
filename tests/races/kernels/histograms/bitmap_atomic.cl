// expect: clean
// run: -g 64 -l 4 -a buf:64:iota -a buf:2
// Thirty-two work-items set bits of one word, atomically.
kernel void k(global const int *a, global uint *bits)
{
    int i = get_global_id(0);
    if (a[i] & 1)
        atomic_or(&bits[i / 32], 1u << (i % 32));
}
