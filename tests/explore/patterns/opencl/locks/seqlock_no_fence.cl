// Without the reader's fence the second load of the sequence number may come first.
// Expect: condition fails
// Options: --global 2 --local 1 --arg buf:8:zero --arg buf:4:zero --arg buf:4:zero --assert out[0]==0
__kernel void k(__global atomic_int *a, __global atomic_int *seq, __global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(seq, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(&a[0], 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(&a[1], 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(seq, 2, memory_order_release, memory_scope_device);
    } else {
        int before = atomic_load_explicit(seq, memory_order_acquire, memory_scope_device);
        int x = atomic_load_explicit(&a[0], memory_order_relaxed, memory_scope_device);
        int y = atomic_load_explicit(&a[1], memory_order_relaxed, memory_scope_device);

        if ((before & 1) == 0 && atomic_load_explicit(seq, memory_order_relaxed, memory_scope_device) == before)
            out[0] = x != y;
    }
}
