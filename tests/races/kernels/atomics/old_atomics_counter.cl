// expect: clean
// run: -g 16 -l 4 -a buf:1 -a buf:16
// atomic_inc and the other atomics of OpenCL 1.x are relaxed at device scope.
kernel void k(volatile global int *counter, global int *out)
{
    out[atomic_inc(counter)] = (int)get_global_id(0);
}
