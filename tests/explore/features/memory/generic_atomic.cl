// Options: --global 1 --arg '{1}' --arg buf:1 --arg buf:1 --assert 'x[0] == 7 and g[0] == 0'
// Expect: condition holds, race none, divergence none, termination always
kernel void generic_atomic(global const int *private_one, global int *g, global int *x)
{
    atomic_int own;
    atomic_init(&own, 3);
    atomic_int *p = private_one[0] ? &own : (atomic_int *)g;
    atomic_fetch_add_explicit(p, 4, memory_order_relaxed, memory_scope_device);
    x[0] = atomic_load_explicit(&own, memory_order_relaxed, memory_scope_device);
}
