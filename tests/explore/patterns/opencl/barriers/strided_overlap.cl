// Rows that overlap by one element.
// Expect: race found
// Options: --global 4 --local 4 --bound 3 --arg buf:32:zero
__kernel void k(__global int *a)
{
    int i = get_global_id(0);

    for (int n = 0; n < 2; n++)
        a[3 * n + i] = i;
}
