// The atomic functions of OpenCL C 1.x act at device scope, also in different work-groups.
// Expect: race none, condition holds, termination always
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:2:zero --assert forall(counter[0]==2)
__kernel void old_atomics(volatile __global int *counter, __global int *out)
{
    out[get_global_id(0)] = atomic_inc(counter);
}
