// Computed indices into a large array: each work-item has its own element.
// Expect: race none, condition holds, termination always
// Options: --global 2 --local 1 --arg buf:2048:iota --arg {5,1700} --arg buf:2:zero --assert forall(out[0]==6\ and\ out[1]==1702)
__kernel void far_apart(__global int *a, __global int *index, __global int *out)
{
    int id = get_global_id(0);
    a[index[id]] += id + 1;
    out[id] = a[index[id]];
}
