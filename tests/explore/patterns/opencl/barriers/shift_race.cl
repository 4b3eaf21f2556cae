// Each work-item reads its neighbor's element, which the neighbor writes.
// Expect: race found
// Options: --global 4 --local 4 --arg buf:20:zero
__kernel void k(__global int *a)
{
    int i = get_global_id(0);

    a[i] = a[i + 1];
}
