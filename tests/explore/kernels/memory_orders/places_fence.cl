// Two work-items differ only in the scope of a fence; one gets the token; the fence of the first is too
// narrow.
// Expect: race found
// Options: --global 4 --local 2 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero
__kernel void k(__global atomic_int *token, __global int *data, __global int *out)
{
    int i = get_global_id(0);

    if (i == 2) {
        *data = 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(token, 1, memory_order_relaxed, memory_scope_device);
    } else if (i < 2 && atomic_exchange_explicit(token, 0, memory_order_relaxed, memory_scope_device) == 1) {
        if (i == 0)
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        else
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}
