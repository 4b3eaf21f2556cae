// Options: --global 2 --arg '{1, 2, 3, 4}'
// Expect: race found
kernel void blur(global float *a)
{
    size_t i = get_global_id(0) + 1;
    a[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}
