// A message with fences: a release fence before a relaxed store, an acquire fence behind a relaxed load. Both
// name global memory, where the data is.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --assert 'out[0] == 0 or out[0] == 42'
// Expect: condition holds, race none, divergence none, termination always
// Twin: message_fences_local
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}
