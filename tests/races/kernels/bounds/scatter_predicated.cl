// expect: data-race
// at: 9 write, 9 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:8:iota -a buf:9
// Work-items with no result all write to one dummy element.
kernel void k(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[in[i] % 3 ? 8 : i] = i;
}
