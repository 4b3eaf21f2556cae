// Options: --global 2 --arg '{0}' --arg '{1.5, 2.25}' --assert 'sum[0] == 0x40700000'
// Expect: condition holds, race none, divergence none, termination always
kernel void add(global int *sum, global const float *in)
{
    int old = 0, seen;
    float next = in[get_global_id(0)];
    while ((seen = atomic_cmpxchg(sum, old, as_int(as_float(old) + next))) != old)
        old = seen;
}
