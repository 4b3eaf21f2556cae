// Options: --global 2,2 --arg '{1, 2, 3, 4}' --arg '{5, 6, 7, 8}' --arg buf:4 --assert 'c[0] == 19.0 and c[3] == 50.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void multiply(global const float *a, global const float *b, global float *c)
{
    local float ta[2][2], tb[2][2];
    int y = get_local_id(1), x = get_local_id(0);
    ta[y][x] = a[2 * y + x];
    tb[y][x] = b[2 * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 2; k++)
        sum += ta[y][k] * tb[k][x];
    c[2 * y + x] = sum;
}
