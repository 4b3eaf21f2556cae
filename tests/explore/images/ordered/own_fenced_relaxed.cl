// Options: --global 2 --arg image:1d:2:r32i --arg buf:2 --assert 'out[0] == 1 and out[1] == 2'
// Expect: race none, usage found, flags illegal_image_fence+image_unfenced
kernel void own(read_write image1d_t image, global int *out)
{
    int x = get_global_id(0);
    write_imagei(image, x, (int4)(x + 1));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_relaxed, memory_scope_work_item);
    out[x] = read_imagei(image, x).x;
}
