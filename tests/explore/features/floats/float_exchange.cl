// Options: --global 2 --arg '{0.5}' --arg buf:2 --assert 'cell[0] == 1.0 or cell[0] == 2.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void swap(global atomic_float *cell, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = atomic_exchange_explicit(cell, (float)(i + 1), memory_order_relaxed, memory_scope_device);
}
