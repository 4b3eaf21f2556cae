// Fences around the relaxed counter, as in CUDA's sample.
// Expect: condition holds, race none
// Options: --global 3 --local 1 --arg buf:12:zero --arg buf:4:zero --arg buf:4:zero --assert out[0]==6
__kernel void k(__global int *part, __global atomic_int *done, __global int *out)
{
    part[get_group_id(0)] = get_group_id(0) + 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    if (atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) == get_num_groups(0) - 1) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        out[0] = part[0] + part[1] + part[2];
    }
}
