// expect: data-race
// run: -g 64 -l 16 --repeat 3 -a buf:256 --print 0
// The race is found after the variable was changed: re-execution must start with its value before the launch.
global int sum, filler[64], last;
kernel void k(global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        sum += 5;
    filler[i] += i;
    if (i >= 62)
        last = i;
    out[i] = i == 0 ? sum : filler[i];
}
