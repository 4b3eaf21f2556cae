// expect: clean
// run: -g 8 -l 8 -a buf:4 -a buf:4
// The halves of a word are written separately, and the word is read after a barrier.
kernel void k(global int *words, global int *out)
{
    size_t g = get_global_id(0);
    ((global short *)words)[g] = (short)g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (g < 4)
        out[g] = words[g];
}
