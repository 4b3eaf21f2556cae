// Expect: condition holds, race none, divergence none, termination always
// Engines: search
// Options: -g 2 -l 1 --arg buf:1 --arg buf:2 --bound 2 --assert "exists out[1] == 100"
// The trip count of a loop without accesses depends on a read.
kernel void k(global atomic_int *count, global int *out)
{
    if (get_global_id(0) == 0)
        atomic_store_explicit(count, 100, memory_order_relaxed, memory_scope_device);
    int n = atomic_load_explicit(count, memory_order_relaxed, memory_scope_device), steps = 0;
    while (n > 0) {
        n = n - 1;
        steps++;
    }
    out[get_global_id(0)] = steps;
}
