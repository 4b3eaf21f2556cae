// expect: data-race
// at: 9 write, 11 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:4 -a buf:4
// Halves of a word written apart, read whole at once.
kernel void k(global int *words, global int *out)
{
    size_t g = get_global_id(0);
    ((global short *)words)[g] = (short)g;
    if (g < 4)
        out[g] = words[g];
}
