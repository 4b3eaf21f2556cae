// Nothing reads what the loop stores; the loop never ends if the flag is not set.
// Expect: race none, divergence none, termination not-always
// Engines: search
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --no-walk
kernel void k(global atomic_int *flag, global int *seen)
{
    if (get_global_id(0) == 0)
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    else
        while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) != 2)
            *seen = 1;
}
