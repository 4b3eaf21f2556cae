// Options: --global 2 --arg '{-1.5, 0.5}' --arg buf:2 --assert 'out[0] == 0.5 and out[1] == -1.5'
// Expect: condition holds, race none, divergence none, termination always
kernel void most(global const float *a, global float *out)
{
    size_t i = get_global_id(0);
    float x = work_group_reduce_max(a[i]), n = work_group_reduce_min(a[i]);
    out[i] = i == 0 ? x : n;
}
