// Nothing reads what the loop stores, but the final state contains it.
// Expect: condition fails
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --assert "seen[0] == 0" --bound 4
kernel void k(global atomic_int *flag, global int *seen)
{
    if (get_global_id(0) == 0)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    else
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            *seen = 1;
}
