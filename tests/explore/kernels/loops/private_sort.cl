// Options: --global 2 --local 1 --arg '{4, 1, 3, 2, 5, 8, 7, 6}' --arg buf:8
// Options: --assert 'out[0] == 1 and out[3] == 4 and out[4] == 5 and out[7] == 8'
// Expect: condition holds, race none, termination always
// Elements of the array are read only after they are written, which follows from the values of indices.
kernel void sort(global const int *in, global int *out)
{
    int sorted[4], g = get_global_id(0);
    for (int i = 0; i < 4; i++) {
        int x = in[4 * g + i], j = i;
        for (; j > 0 && sorted[j - 1] > x; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = x;
    }
    for (int i = 0; i < 4; i++)
        out[4 * g + i] = sorted[i];
}
