// Options: --global 2 --local 1 --arg buf:2 --assert 'out[0] == 7' --filter 'out[1] == 2'
// Expect: condition unknown, race unknown, usage unknown, divergence none, termination always, flags none
kernel void work(global int *out)
{
    out[get_global_id(0)] = 1;
}
