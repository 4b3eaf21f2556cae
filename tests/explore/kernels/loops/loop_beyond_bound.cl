// Expect: condition unknown, race unknown, termination unknown
// Options: -g 2 -l 1 --arg buf:1 --arg buf:40 --bound 4 --assert "forall out[8] == 0"
// The bound is given, and less than the trip count, which depends on a read.
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
