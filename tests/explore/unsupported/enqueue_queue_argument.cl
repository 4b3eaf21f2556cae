// Options: --global 2 --arg @queue --arg buf:2
// Error: enqueue_queue_argument.cl:5:24: create_user_event (OpCreateUserEvent, opcode 299) is not explored: explore the enqueued kernel alone, or check executions one by one with refcl kernel [explore.opcode]
kernel void parent(queue_t queue, global int *out)
{
    clk_event_t done = create_user_event();
    set_user_event_status(done, CL_COMPLETE);
    out[get_global_id(0)] = is_valid_event(done);
}
