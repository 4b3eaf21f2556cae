// Nothing reads what the loop stores, and no other work-item accesses it: an iteration that reads the same
// values repeats the one before.
// Expect: race none, divergence none, termination always
// Engines: search
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:8:zero --arg buf:4:zero
kernel void k(global atomic_int *flag, global int *seen, global int *data)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        return;
    }
    do {
        seen[0] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
        seen[1] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
    } while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device));
    (*data)++;
}
