// Computed indices into a large array: both work-items have the same element.
// Expect: race found, termination always
// Options: --global 2 --local 1 --arg buf:2048:iota --arg {1700,1700} --arg buf:2:zero
__kernel void far_same(__global int *a, __global int *index, __global int *out)
{
    int id = get_global_id(0);
    a[index[id]] += id + 1;
    out[id] = a[index[id]];
}
