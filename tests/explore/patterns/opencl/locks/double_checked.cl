// Double-checked initialization: the second check is under the lock, so it need not acquire.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero --arg buf:2:zero --assert "out[0]==5 and out[1]==5"
__kernel void k(__global atomic_int *ready, __global atomic_int *lock, __global int *data, __global int *out)
{
    if (!atomic_load_explicit(ready, memory_order_acquire, memory_scope_device)) {
        int zero = 0;

        while (!atomic_compare_exchange_strong_explicit(lock, &zero, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
            zero = 0;
        if (!atomic_load_explicit(ready, memory_order_relaxed, memory_scope_device)) {
            data[0] = 5;
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
        }
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
    out[get_global_id(0)] = data[0];
}
