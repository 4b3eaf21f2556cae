// expect: clean
// run: -g 8 -l 4 -a buf:64:rand=9 -a buf:64
// Each work-item counts in its own row.
kernel void k(global const uint *in, global int *rows)
{
    size_t i = get_global_id(0);
    for (size_t j = 0; j < 8; j++)
        rows[i * 8 + in[i * 8 + j] % 8]++;
}
