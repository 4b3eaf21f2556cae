// As seqlock_reader_adds.cl, but the reader ends with a relaxed load, which may precede the loads of the
// data.
// Expect: condition fails, race none, divergence none, termination always
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:2:zero --arg buf:1:zero --assert "torn[0]==0"
__kernel void k(__global atomic_int *sequence, __global atomic_int *data, __global int *torn)
{
    if (get_group_id(0) == 0) {
        atomic_exchange_explicit(sequence, 1, memory_order_acquire, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(&data[0], 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&data[1], 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(sequence, 2, memory_order_release, memory_scope_device);
    } else {
        int before = atomic_load_explicit(sequence, memory_order_acquire, memory_scope_device);
        int first = atomic_load_explicit(&data[0], memory_order_relaxed, memory_scope_device);
        int second = atomic_load_explicit(&data[1], memory_order_relaxed, memory_scope_device);
        int after = atomic_load_explicit(sequence, memory_order_relaxed, memory_scope_device);

        if (before == after && before % 2 == 0)
            torn[0] = first != second;
    }
}
