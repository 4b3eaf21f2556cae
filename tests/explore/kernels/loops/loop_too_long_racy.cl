// Expect: race found
// Options: -g 2 -l 1 --arg buf:4000 --timeout 100
// More iterations than the engines unroll: some of them show the race.
kernel void k(global int *out)
{
    for (int i = 0; i < 4000; i++)
        out[i] = get_global_id(0);
}
