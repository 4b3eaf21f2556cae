// Options: --global 2 --arg buf:1 --arg buf:1 --arg 'buf:1:fill=-1' --assert 'out[0] == -1 or out[0] == 2.5'
// Expect: condition holds, race none, divergence none, termination always
kernel void message(global float *data, global atomic_int *flag, global float *out)
{
    if (get_global_id(0) == 0) {
        data[0] = 1.25f * 2.0f;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}
