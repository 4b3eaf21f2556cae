// Options: --global 2 --local 1 --arg buf:1
// Expect: race found, usage found, divergence none, termination always, flags data_race+illegal_image_fence
kernel void work(global int *out)
{
    out[0] = (int)get_global_id(0);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
}
