// Options: --global 1 --arg buf:1
// Error: undefined_function.cl:6:14: 'elsewhere' is not explored, a function without a body: define it in the same file, or use another [explore.calls]
int elsewhere(int n);
kernel void call(global int *out)
{
    out[0] = elsewhere(1);
}
