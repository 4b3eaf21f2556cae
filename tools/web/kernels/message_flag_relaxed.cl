// The flag is stored relaxed: a work-item that reads 1 need not see the data, and its read races.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert 'out[0] == 0 or out[0] == 42'
// Expect: race found, divergence none, termination always
// Twin: message_flag
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        *out = *data;
    }
}
