// The neighbor's element is read without a barrier: it may not be written yet.
// Options: --global 3 --local 3 --arg local:12 --arg buf:3:zero --assert 'out[0] == 2 and out[1] == 3 and out[2] == 1'
// Expect: race found, divergence none, termination always
// Twin: barrier_neighbours
kernel void k(local int *shared, global int *out)
{
    int i = get_local_id(0), n = get_local_size(0);
    shared[i] = i + 1;
    out[i] = shared[(i + 1) % n];
}
