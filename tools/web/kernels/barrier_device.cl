// A barrier across work-groups: each counts itself with acquire and release, and waits until all are counted.
// It ends because both work-groups make progress.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:2:zero --arg buf:2:zero --assert 'out[0] == 2 and out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
// Twin: barrier_device_relaxed
kernel void k(global atomic_int *count, global int *data, global int *out)
{
    int i = get_global_id(0);
    data[i] = i + 1;
    atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(count, memory_order_acquire, memory_scope_device) < 2)
        ;
    out[i] = data[1 - i];
}
