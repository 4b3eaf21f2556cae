/* Records of the runtime: the host command rules H1 to H12 [CL 3.3.6] as edges, data movement as events. */
#include "memmodel/graph/graph.h"
#include "ref-runtime/sched/command.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), CL_SUCCESS)

static char path[] = "/tmp/refcl_record_XXXXXX";
static struct mm_graph *graph;

static volatile int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    __atomic_store_n(&called, 1, __ATOMIC_RELEASE);
}

/* Commands 1 to 10, in the order of these calls. */
static void scenario(void)
{
    const cl_icd_dispatch *cl = &rt_dispatch;
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    int data[4] = {1, 2, 3, 4}, one = 1;
    OK(rt_clGetPlatformIDs(1, &platform, NULL));
    OK(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = cl->clCreateCommandQueue(context, device, 0, &err);
    cl_command_queue loose =
        cl->clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    cl_mem m = cl->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &err);
    cl_event user = cl->clCreateUserEvent(context, &err), filled, barrier;
    OK(cl->clEnqueueFillBuffer(q, m, &one, 4, 0, 8, 1, &user, &filled)); /* 1 */
    OK(cl->clSetEventCallback(filled, CL_COMPLETE, note, NULL));
    OK(cl->clEnqueueFillBuffer(q, m, &one, 4, 8, 4, 0, NULL, NULL));                         /* 2: H5 */
    OK(cl->clEnqueueMarkerWithWaitList(loose, 1, &filled, NULL));                            /* 3: H2 */
    OK(cl->clEnqueueFillBuffer(loose, m, &one, 4, 12, 4, 0, NULL, NULL));                    /* 4 */
    OK(cl->clEnqueueMarkerWithWaitList(loose, 0, NULL, NULL));                               /* 5: H6 */
    OK(cl->clEnqueueBarrierWithWaitList(loose, 0, NULL, &barrier));                          /* 6: H7 */
    OK(cl->clEnqueueMarkerWithWaitList(loose, 1, &barrier, NULL));                           /* 7 */
    OK(cl->clSetUserEventStatus(user, CL_COMPLETE));                                         /* H12 */
    OK(cl->clWaitForEvents(1, &barrier));                                                    /* H4 */
    OK(cl->clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));        /* 8 */
    int *p = cl->clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &err); /* 9 */
    OK(err);
    p[0] = 5;
    OK(cl->clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL)); /* 10 */
    OK(cl->clFinish(loose));
    OK(cl->clFinish(q)); /* H8 */
    while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE)) {
        usleep(100);
    }
    OK(cl->clReleaseEvent(user));
    OK(cl->clReleaseEvent(filled));
    OK(cl->clReleaseEvent(barrier));
    OK(cl->clReleaseMemObject(m));
    OK(cl->clReleaseCommandQueue(q));
    OK(cl->clReleaseCommandQueue(loose));
    OK(cl->clReleaseContext(context));
}

static int record(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    setenv("REFCL_TRACE", path, 1);
    scenario();
    rt_record_close();
    struct mm_sink sink;
    struct mm_error error = {0};
    bool complete = false;
    graph = mm_graph_create();
    mm_graph_sink(graph, 1000, &sink);
    enum mm_class result = mm_trace_read(fd, path, &sink, &complete, &error);
    close(fd);
    unlink(path);
    return result == MM_OK && complete ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    mm_graph_destroy(graph);
    return 0;
}

enum { ANY = 0 };
/* The number of edges of KIND from an event of kind FROM and command FROM_COMMAND to one of kind TO. */
static size_t edges(enum mm_edge_kind kind, enum mm_kind from, unsigned from_command, enum mm_kind to,
                    unsigned to_command)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct mm_edge *e = &graph->edges[i];
        const struct mm_event *a = &graph->events[e->from], *b = &graph->events[e->to];
        assert_true(e->from < e->to);
        n += e->kind == (uint32_t)kind && a->kind == from && b->kind == to &&
             (from_command == ANY || a->agent.command == from_command) &&
             (to_command == ANY || b->agent.command == to_command);
    }
    return n;
}

static size_t events(enum mm_kind kind, unsigned command)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->event_count; i++) {
        const struct mm_event *e = &graph->events[i];
        n += e->kind == kind && e->agent.command == command;
    }
    return n;
}

static void every_command(void **state)
{
    (void)state;
    for (unsigned c = 1; c <= 10; c++) {
        assert_non_null(mm_graph_command(graph, c));
        assert_int_equal(events(MM_COMMAND_START, c), 1);
        assert_int_equal(events(MM_COMMAND_END, c), 1);
        assert_int_equal(events(MM_EVENT_COMPLETE, c), 1);
        assert_int_equal(edges(MM_EDGE_ENQUEUE, MM_API_CALL, ANY, MM_COMMAND_START, c), 1);    /* H1 */
        assert_int_equal(edges(MM_EDGE_COMPLETE, MM_COMMAND_END, c, MM_EVENT_COMPLETE, c), 1); /* H3 */
    }
    assert_null(mm_graph_command(graph, 11));
}

static void wait_lists_and_order(void **state)
{
    (void)state;
    assert_int_equal(edges(MM_EDGE_WAIT, MM_EVENT_COMPLETE, 1, MM_COMMAND_START, 3), 1); /* H2 */
    assert_int_equal(edges(MM_EDGE_WAIT, MM_EVENT_COMPLETE, 6, MM_COMMAND_START, 7), 1);
    assert_int_equal(edges(MM_EDGE_IN_ORDER, MM_EVENT_COMPLETE, 1, MM_COMMAND_START, 2), 1); /* H5 */
    assert_int_equal(edges(MM_EDGE_IN_ORDER, MM_EVENT_COMPLETE, 8, MM_COMMAND_START, 9), 1);
    assert_int_equal(edges(MM_EDGE_IN_ORDER, MM_EVENT_COMPLETE, 3, MM_COMMAND_START, 4), 0);
}

static void markers_and_barriers(void **state)
{
    (void)state;
    assert_int_equal(edges(MM_EDGE_MARKER, MM_EVENT_COMPLETE, 3, MM_COMMAND_START, 5), 1); /* H6 */
    assert_int_equal(edges(MM_EDGE_MARKER, MM_EVENT_COMPLETE, 4, MM_COMMAND_START, 5), 1);
    for (unsigned c = 3; c <= 5; c++) {
        assert_int_equal(edges(MM_EDGE_BARRIER, MM_EVENT_COMPLETE, c, MM_COMMAND_START, 6), 1); /* H7 */
    }
    assert_int_equal(edges(MM_EDGE_BARRIER, MM_EVENT_COMPLETE, 6, MM_COMMAND_START, 7), 1);
}

static void host_side(void **state)
{
    (void)state;
    assert_int_equal(edges(MM_EDGE_API_WAIT, MM_EVENT_COMPLETE, 6, MM_API_CALL, ANY), 1); /* H4 */
    assert_int_equal(edges(MM_EDGE_API_WAIT, MM_EVENT_COMPLETE, 8, MM_API_CALL, ANY), 1);
    assert_int_equal(edges(MM_EDGE_FINISH, MM_EVENT_COMPLETE, 10, MM_API_CALL, ANY), 1); /* H8 */
    assert_int_equal(edges(MM_EDGE_FINISH, MM_EVENT_COMPLETE, 7, MM_API_CALL, ANY), 1);
    assert_int_equal(edges(MM_EDGE_CALLBACK, MM_EVENT_COMPLETE, 1, MM_CALLBACK, ANY), 1);     /* H11 */
    assert_int_equal(edges(MM_EDGE_USER_EVENT, MM_API_CALL, ANY, MM_EVENT_COMPLETE, ANY), 1); /* H12 */
    assert_true(edges(MM_EDGE_WAIT, MM_EVENT_COMPLETE, ANY, MM_COMMAND_START, 1) == 1);
}

static void data(void **state)
{
    (void)state;
    assert_int_equal(events(MM_MAP, 9), 1);
    assert_int_equal(events(MM_UNMAP, 10), 1);
    assert_int_equal(events(MM_READ, 8), 1);
    size_t fills = 0;
    for (size_t i = 0; i < graph->event_count; i++) {
        const struct mm_event *e = &graph->events[i];
        if (e->kind == MM_WRITE && e->agent.command == 2) {
            const struct mm_allocation *a = mm_graph_allocation(graph, e->allocation);
            assert_non_null(a);
            assert_int_equal(a->origin, MM_ORIGIN_BUFFER);
            assert_int_equal(a->size, 16);
            assert_int_equal(e->offset, 8);
            assert_int_equal(e->size, 4);
            assert_int_equal(e->value_written, 1);
            assert_int_equal(e->agent.index, MM_INDEX_RUNTIME);
            fills++;
        }
    }
    assert_int_equal(fills, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command), cmocka_unit_test(wait_lists_and_order),
        cmocka_unit_test(markers_and_barriers), cmocka_unit_test(host_side), cmocka_unit_test(data)};
    return cmocka_run_group_tests(tests, record, forget);
}
