// Expect: condition holds, race none, divergence none, termination always
// Options: -g 2 -l 1 --arg buf:1 --arg buf:40 --assert "forall out[8] == 0"
// The trip count depends on a read: the bound is raised until it is reached.
kernel void k(global atomic_int *count, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(count, 8, memory_order_relaxed, memory_scope_device);
        return;
    }
    int n = atomic_load_explicit(count, memory_order_relaxed, memory_scope_device);
    for (int i = 0; i < n; i++)
        out[i] = 1;
}
