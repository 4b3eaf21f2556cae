// As version_published.cl, but the reader does not acquire the version.
// Expect: race found, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:2:fill=7 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert "out[0]==7 or out[0]==9"
__kernel void k(__global int *version, __global atomic_int *current, __global atomic_int *quiet, __global int *out)
{
    if (get_group_id(0) == 0) {
        version[1] = 9;
        atomic_store_explicit(current, 1, memory_order_release, memory_scope_device);
        while (!atomic_load_explicit(quiet, memory_order_acquire, memory_scope_device))
            ;
        version[0] = -1;
    } else {
        out[0] = version[atomic_load_explicit(current, memory_order_relaxed, memory_scope_device)];
        atomic_store_explicit(quiet, 1, memory_order_release, memory_scope_device);
    }
}
