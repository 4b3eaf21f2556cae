// Options: --global 2 --arg buf:2
// Error: enqueue.cl:5:23: ndrange_1D, ndrange_2D or ndrange_3D (OpBuildNDRange, opcode 304) is not explored: explore the enqueued kernel alone, or check executions one by one with refcl kernel [explore.opcode]
kernel void parent(global int *out)
{
    ndrange_t range = ndrange_1D(2);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{
        out[get_global_id(0)] = 1;
    });
}
