/* Device-side enqueue: calls of the environment, blocks with captures and local arguments, events. */
#include "clrun.h"

struct command {
    struct in_enqueue e;
    uint64_t sizes[4];
    unsigned char block[64];
    void *wait[4];
};
struct rig {
    struct spv_run run;
    struct command commands[8];
    uint32_t count, markers, retained, released, marker_waits;
    int status, info;
    uint64_t events[8]; /* handles point into it */
    uint32_t event_count;
};

static void *new_event(struct rig *r)
{
    return &r->events[r->event_count++];
}

static int on_enqueue(void *context, const struct in_enqueue *e, void **event)
{
    struct rig *r = context;
    struct command *c = &r->commands[r->count++];
    c->e = *e;
    memcpy(c->sizes, e->local_sizes, e->local_count * sizeof *c->sizes);
    memcpy(c->block, e->block, e->block_size);
    for (uint32_t k = 0; k < e->wait_count; k++)
        c->wait[k] = e->wait_list[k];
    if (event != NULL)
        *event = new_event(r);
    return e->queue == NULL ? -102 : 0;
}

static int on_marker(void *context, void *queue, void *const *wait, uint32_t count, void **event)
{
    struct rig *r = context;
    (void)queue;
    r->markers++;
    for (uint32_t k = 0; k < count; k++)
        r->marker_waits += wait[k] == &r->events[0] || wait[k] == &r->events[1];
    *event = new_event(r);
    return 0;
}

static void *on_default_queue(void *context)
{
    return &((struct rig *)context)->count;
}
static void *on_create(void *context)
{
    return new_event(context);
}
static void on_retain(void *context, void *event)
{
    struct rig *r = context;
    r->retained += event == &r->events[1];
}
static void on_release(void *context, void *event)
{
    struct rig *r = context;
    r->released += event == &r->events[1];
}
static void on_status(void *context, void *event, int status)
{
    struct rig *r = context;
    r->status = event == &r->events[0] ? status + 1000 : -1;
}
static bool on_valid(void *context, void *event)
{
    struct rig *r = context;
    uint64_t *e = event;
    return e >= r->events && e < r->events + r->event_count;
}
static void on_capture(void *context, void *event, int info, void *value)
{
    struct rig *r = context;
    r->info = info;
    memcpy(value, &(uint64_t[2]){event == &r->events[2] ? 11 : 0, 22}, 16);
}

static struct in_instance *instance(struct rig *r, struct in_module *module)
{
    struct in_environment environment = {.context = r,
                                         .print = spv_on_print,
                                         .finding = spv_on_finding,
                                         .enqueue_kernel = on_enqueue,
                                         .enqueue_marker = on_marker,
                                         .default_queue = on_default_queue,
                                         .create_user_event = on_create,
                                         .retain_event = on_retain,
                                         .release_event = on_release,
                                         .set_user_event_status = on_status,
                                         .is_valid_event = on_valid,
                                         .capture_profiling = on_capture,
                                         .max_work_group_size = 256};
    struct in_instance *in = NULL;
    assert_int_equal(in_instance_create(module, &environment, NULL, &in, &r->run.err), MM_OK);
    return in;
}

/* Runs the children that the parent enqueued, like a runtime. */
static enum mm_class run_child(struct rig *r, struct in_module *module, struct in_instance *in, uint32_t n)
{
    struct command *c = &r->commands[n];
    struct in_object block = spv_buffer(c->block, c->e.block_size, 77);
    struct clr_launch l = {.kernel = in_module_kernel(module, c->e.kernel)->name,
                           .args = {{.address = block.address, .object = &block}}};
    for (uint32_t k = 0; k < c->e.local_count; k++)
        l.args[1 + k].local_size = c->sizes[k];
    for (int d = 0; d < 3; d++) {
        l.global[d] = c->e.global_size[d];
        l.local[d] = c->e.local_size[d];
    }
    return clr_run(in, module, &l, &r->run);
}

static struct in_object *current;
static const struct in_object *find(void *context, uint64_t address)
{
    (void)context;
    return address - current->address < current->size ? current : NULL;
}

static void test_blocks(void **state)
{
    static const char source[] =
        "kernel void k(global int *a, int n, queue_t q) {\n"
        "  if (get_global_id(0) != 0) return;\n"
        "  void (^b)(local void *, local void *) = ^(local void *p, local void *s) {\n"
        "    ((local int *)p)[get_local_id(0)] = n + get_local_id(0); ((local char *)s)[1] = 1;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    a[get_global_id(0)] = ((local int *)p)[get_local_size(0) - 1 - get_local_id(0)]; };\n"
        "  a[15] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 8, 4), b, (uint)(4 * n), "
        "16u);\n"
        "  a[14] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3), ^{ "
        "a[13] += "
        "n; });\n"
        "  a[12] = get_kernel_work_group_size(b); a[11] = get_kernel_preferred_work_group_size_multiple(b);\n"
        "  a[10] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(64, 10), ^{ a[0]++; });\n"
        "  a[9] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(64, 2), ^{ a[1]++; }); }\n";
    struct rig r = {.count = 0};
    struct in_module *module = clr_module(source);
    struct in_instance *in = instance(&r, module);
    int32_t a[16] = {0};
    struct in_object o = spv_buffer(a, sizeof a, 1);
    int queue;
    struct clr_launch l = {.kernel = "k",
                           .args = {clr_buffer(&o), {.value = &(int){5}}, {.queue = &queue}},
                           .global = {4},
                           .local = {4}};
    (void)state;
    assert_int_equal(clr_run(in, module, &l, &r.run), MM_OK);
    assert_int_equal(r.count, 2);
    const struct in_enqueue *e = &r.commands[0].e;
    assert_ptr_equal(e->queue, &queue);
    assert_true(e->dimensions == 1 && e->global_size[0] == 8 && e->local_size[0] == 4 &&
                e->global_offset[0] == 2 && e->flags == 0);
    assert_true(e->local_count == 2 && r.commands[0].sizes[0] == 20 && r.commands[0].sizes[1] == 16);
    assert_true(!e->wants_event && e->wait_count == 0 && e->event == MM_NO_EVENT);
    assert_int_equal(in_module_kernel(module, e->kernel)->use, IN_FOR_KERNELS);
    assert_int_equal(in_module_kernel(module, in_module_find_kernel(module, "k"))->use, IN_FOR_HOST);
    assert_true(r.commands[1].e.flags == 1 && r.commands[1].e.local_size[0] == 0);
    assert_true(a[15] == 0 && a[14] == 0 && a[12] == 256 && a[11] == 4 && a[10] == 3 && a[9] == 2);
    in_instance_destroy(in);
    current = &o;
    struct in_environment environment = {.context = &r.run, .finding = spv_on_finding, .find_object = find};
    assert_int_equal(in_instance_create(module, &environment, NULL, &in, &r.run.err), MM_OK);
    assert_int_equal(run_child(&r, module, in, 0), MM_OK);
    const int32_t expected[8] = {8, 7, 6, 5, 8, 7, 6, 5};
    assert_memory_equal(a, expected, sizeof expected);
    r.commands[1].e.local_size[0] = 1;
    assert_int_equal(run_child(&r, module, in, 1), MM_OK);
    assert_int_equal(a[13], 15);
    in_instance_destroy(in);
    in_module_release(module);
}

static void test_events(void **state)
{
    static const char source[] =
        "kernel void k(global int *a, global ulong *times) {\n"
        "  queue_t q = get_default_queue(); clk_event_t u = create_user_event(), e, m;\n"
        "  size_t g[2] = {4, 6}, l[2] = {2, 3}, off[2] = {7, 8};\n"
        "  a[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_2D(off, g, l), 1, &u, &e, ^{ "
        "a[9] = 1; });\n"
        "  clk_event_t both[2] = {u, e}; a[1] = enqueue_marker(q, 2, both, &m);\n"
        "  retain_event(e); release_event(e); set_user_event_status(u, -5);\n"
        "  a[2] = is_valid_event(m); capture_event_profiling_info(m, CLK_PROFILING_COMMAND_EXEC_TIME, "
        "times);\n"
        "  a[3] = is_valid_event(CLK_NULL_EVENT); }\n";
    struct rig r = {.count = 0};
    struct in_module *module = clr_module(source);
    struct in_instance *in = instance(&r, module);
    int32_t a[10] = {0};
    uint64_t times[2] = {0};
    struct in_object o = spv_buffer(a, sizeof a, 1), t = spv_buffer(times, sizeof times, 2);
    struct clr_launch l = {.kernel = "k", .args = {clr_buffer(&o), clr_buffer(&t)}, .global = {1}};
    (void)state;
    assert_int_equal(clr_run(in, module, &l, &r.run), MM_OK);
    const struct in_enqueue *e = &r.commands[0].e;
    assert_true(e->dimensions == 2 && e->global_size[1] == 6 && e->local_size[1] == 3 &&
                e->global_offset[0] == 7 && e->global_offset[1] == 8);
    assert_true(e->wants_event && e->wait_count == 1 && r.commands[0].wait[0] == &r.events[0]);
    assert_true(r.markers == 1 && r.marker_waits == 2 && r.retained == 1 && r.released == 1);
    assert_true(r.status == 995 && r.info == 1 && times[0] == 11 && times[1] == 22);
    assert_true(a[0] == 0 && a[1] == 0 && a[2] == 1 && a[3] == 0);
    in_instance_destroy(in);
    in_module_release(module);
}

/* Queries that OpenCL C does not reach: 256 work-items in sub-groups of 4. */
static void test_without_source(void **state)
{
    static const char text[] =
        "OpCapability DeviceEnqueue\n" SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%pg8 = OpTypePointer Generic %u8\n%bfn = OpTypeFunction %void %pg8\n%null = OpConstantNull %pg8\n"
        "%c100 = OpConstant %u32 100\n%b = OpFunction %void None %bfn\n%bp = OpFunctionParameter %pg8\n%be = "
        "OpLabel\n"
        "OpReturn\nOpFunctionEnd\n%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%e = "
        "OpLabel\n"
        "%x = OpGetKernelLocalSizeForSubgroupCount %u32 %c3 %b %null %c0 %c1\n"
        "%y = OpGetKernelMaxNumSubgroups %u32 %b %null %c0 %c1\n"
        "%z = OpGetKernelLocalSizeForSubgroupCount %u32 %c100 %b %null %c0 %c1\n"
        "%s = OpIMul %u32 %x %y\n%t = OpIAdd %u32 %s %z\nOpStore %out %t Aligned "
        "4\nOpReturn\nOpFunctionEnd\n";
    struct rig r = {.count = 0};
    struct in_module *module = NULL;
    uint32_t out[1] = {0};
    struct in_object o = spv_buffer(out, sizeof out, 1);
    struct clr_launch l = {.kernel = "k", .args = {clr_buffer(&o)}, .global = {1}};
    (void)state;
    if (spv_load(text, &module, &r.run.err) != MM_OK)
        fail_msg("%s", r.run.err.message);
    struct in_instance *in = instance(&r, module);
    assert_int_equal(in_module_kernel_count(module), 2); /* the block is no entry point, but a kernel */
    assert_int_equal(clr_run(in, module, &l, &r.run), MM_OK);
    assert_int_equal(out[0], 12 * 64);
    in_instance_destroy(in);
    in_module_release(module);
}

static void test_opcodes_covered(void **state)
{
    static const char *const opcodes[] = {"OpEnqueueMarker",
                                          "OpEnqueueKernel",
                                          "OpGetKernelNDrangeSubGroupCount",
                                          "OpGetKernelNDrangeMaxSubGroupSize",
                                          "OpGetKernelWorkGroupSize",
                                          "OpGetKernelPreferredWorkGroupSizeMultiple",
                                          "OpRetainEvent",
                                          "OpReleaseEvent",
                                          "OpCreateUserEvent",
                                          "OpIsValidEvent",
                                          "OpSetUserEventStatus",
                                          "OpCaptureEventProfilingInfo",
                                          "OpGetDefaultQueue",
                                          "OpBuildNDRange"};
    (void)state;
    clr_must_have_seen(opcodes, sizeof opcodes / sizeof *opcodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_without_source),
                                       cmocka_unit_test(test_opcodes_covered)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
