// A read-write lock: a counter of readers, negative while a writer holds it; two writers and a reader.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:4:zero --arg buf:8:zero --arg buf:4:zero --assert data[0]==2
__kernel void k(__global atomic_int *readers, __global int *data, __global int *seen)
{
    int expected;

    if (get_group_id(0) < 2) {
        do {
            expected = 0;
        } while (!atomic_compare_exchange_strong_explicit(readers, &expected, -1, memory_order_acquire, memory_order_relaxed, memory_scope_device));
        data[0]++;
        data[1]++;
        atomic_store_explicit(readers, 0, memory_order_release, memory_scope_device);
    } else {
        do {
            expected = atomic_load_explicit(readers, memory_order_relaxed, memory_scope_device);
        } while (expected < 0 || !atomic_compare_exchange_strong_explicit(readers, &expected, expected + 1, memory_order_acquire, memory_order_relaxed, memory_scope_device));
        *seen = data[0] == data[1];
        atomic_fetch_sub_explicit(readers, 1, memory_order_release, memory_scope_device);
    }
}
