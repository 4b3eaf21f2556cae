// Nine work-items store and load one element: each of the 10^9 executions has the findings of the first one.
// Expect: race found, divergence none, termination always
// Options: --global 9 --local 3 --arg buf:4:zero --arg buf:36
// Engines: search
kernel void k(global int *a, global int *b)
{
    a[0] = 0;
    b[get_global_id(0)] = a[0];
}
