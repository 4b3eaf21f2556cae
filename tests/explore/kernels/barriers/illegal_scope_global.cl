// Options: --global 2 --local 1 --arg buf:2 --assert 'out[0] == 1 and out[1] == 1'
// Expect: condition holds, race none, usage found, divergence none, termination always, flags illegal_scope
kernel void work(global int *out)
{
    out[get_global_id(0)] = 1;
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
}
