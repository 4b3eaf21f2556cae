// Scope work_item at a barrier [CL 3.3.4 C9], in executions with more events than the model is evaluated on:
// the vector clocks of one execution do not show it.
// Expect: usage found, flags illegal_scope
// Engines: search
// Options: -g 2 -a buf:2
kernel void k(global int *x)
{
    for (int i = 0; i < 600; i++) {
        x[get_global_id(0)] = i;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_item);
    }
}
