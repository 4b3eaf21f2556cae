// expect: data-race
// at: 10 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:64:iota -a buf:64
// The rows overlap by one element.
kernel void k(global const uint *in, global int *rows)
{
    size_t i = get_global_id(0);
    for (size_t j = 0; j < 8; j++)
        rows[i * 7 + in[i * 8 + j] % 8]++;
}
