// Options: --global 2 --arg '{5}' --assert 'cell[0] >= 12 and cell[0] <= 15'
// Expect: condition holds, race none, divergence none, termination always
kernel void raise(global atomic_long *cell)
{
    atomic_fetch_add_explicit(cell, 3, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(cell, (long)get_global_id(0) + 11, memory_order_relaxed, memory_scope_device);

}
