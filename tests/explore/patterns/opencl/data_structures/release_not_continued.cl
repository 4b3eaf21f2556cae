// A relaxed store by a third work-item does not continue the release sequence, even if it is always co-later.
// Expect: race found, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert "flag[0]>=1"
__kernel void k(__global atomic_int *flag, __global int *data, __global int *out)
{
    switch (get_group_id(0)) {
    case 0:
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        break;
    case 1: {
        int one = 1;

        if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == one)
            atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
        break;
    }
    default:
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 2)
            out[0] = data[0];
    }
}
