// Options: --global 2,2 --arg '{1, 2, 3, 4}' --arg '{5, 6, 7, 8}' --arg buf:4 --assert 'c[0] == 19.0 and c[1] == 22.0 and c[2] == 43.0 and c[3] == 50.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void multiply(global const float *a, global const float *b, global float *c)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 2; k++)
        sum += a[2 * row + k] * b[2 * k + column];
    c[2 * row + column] = sum;
}
