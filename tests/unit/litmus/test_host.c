/* Host part of litmus tests: what is read, printed and lowered, and where errors are reported. */
#include "litmus/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                 \
    "OPENCL t\n{ [x] = 0; int y[2] = {0, 0}; queue q; queue p @ dev 1, out_of_order;\n"                      \
    "queue d @ dev 0, on_device; user_event u; }\n"
#define KERNEL "P0@wg 0, dev 0 (global int* x) { *x = 1; }\n"

static struct ck_program *lower(const char *text)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) != MM_OK ||
        lt_lower(test, &program, &err) != MM_OK)
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    lt_test_destroy(test);
    return program;
}

static void expect_error(const char *text, unsigned line, unsigned column, const char *part)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) == MM_OK)
        assert_int_not_equal(lt_lower(test, &program, &err), MM_OK);
    assert_null(program);
    if (!strstr(err.message, part) || err.line != line || err.column != column)
        fail_msg("%u:%u: %s; expected %u:%u: %s", err.line, err.column, err.message, line, column, part);
    assert_int_equal(err.cls, MM_INVALID);
    lt_test_destroy(test);
}

/* Whether the program relates a point of thread FROM to one of thread TO. */
static unsigned edges(const struct ck_program *p, const char *relation, const char *from, const char *to)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct ck_edge *e = &p->edges[i];
        count += strcmp(e->relation, relation) == 0 && strcmp(p->threads[e->from_thread].name, from) == 0 &&
                 strcmp(p->threads[e->to_thread].name, to) == 0;
    }
    return count;
}

static const struct ck_thread *find(const struct ck_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->thread_count; i++)
        if (strcmp(p->threads[i].name, name) == 0)
            return &p->threads[i];
    fail_msg("no thread %s", name);
    return NULL;
}

static void commands(void **state)
{
    (void)state;
    struct ck_program *p = lower(HEAD "H0 (global int* x, host int* h) {\n"
                                      "clEnqueueNDRangeKernel(q, 0, {u}, &e0);\n"
                                      "clEnqueueReadBuffer(q, x, CL_TRUE, h);\n"
                                      "clFinish(q); }\n" KERNEL "exists (x = 1)");
    static const enum ck_op ops[] = {CK_POINT, CK_LOAD, CK_STORE, CK_POINT, CK_END};
    const struct ck_thread *read = find(p, "C1 clEnqueueReadBuffer");
    assert_int_equal(read->instr_count, sizeof ops / sizeof *ops);
    for (uint32_t i = 0; i < read->instr_count; i++)
        assert_int_equal(read->instrs[i].op, ops[i]);
    assert_int_equal(read->instrs[0].tags, MM_POINT_START | MM_POINT_IN_ORDER | MM_POINT_NO_LIST);
    /* two calls that enqueue, the end of the one that blocks, clFinish */
    assert_int_equal(find(p, "H0")->instr_count, 4 + 1);
    assert_int_equal(edges(p, "enqueue", "H0", "C0 clEnqueueNDRangeKernel"), 1);
    assert_int_equal(edges(p, "waitlist", "u", "C0 clEnqueueNDRangeKernel"), 1);
    assert_int_equal(edges(p, "apiwait", "E1", "H0"), 1);
    assert_int_equal(edges(p, "instance", "C0 clEnqueueNDRangeKernel", "P0"), 2);
    assert_int_equal(edges(p, "completes", "C0 clEnqueueNDRangeKernel", "E0"), 1);
    assert_int_equal(edges(p, "qo", "E0", "C1 clEnqueueReadBuffer"), 1);
    assert_int_equal(edges(p, "qo", "E0", "H0"), 0); /* the queue is in order: through E1 */
    assert_int_equal(edges(p, "qo", "E1", "H0"), 1);
    ck_program_destroy(p);
}

static void maps(void **state)
{
    (void)state;
    struct ck_program *p = lower(
        HEAD "H0 (global int* y, svm_fine int* z) { clEnqueueMapBuffer(q, y[1], CL_TRUE, CL_MAP_WRITE);\n"
             "clEnqueueUnmapMemObject(q, y[1]); clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, z); }\n"
             "exists (x = 0)");
    const struct ck_thread *map = find(p, "C0 clEnqueueMapBuffer");
    const struct ck_thread *unmap = find(p, "C1 clEnqueueUnmapMemObject");
    assert_int_equal(map->instrs[1].op, CK_LOAD);
    assert_int_equal(map->instrs[1].tags, MM_POINT_MAP | MM_POINT_MAP_WRITE);
    assert_int_equal(map->instrs[2].op, CK_POINT);
    assert_int_equal(unmap->instrs[1].tags, MM_POINT_UNMAP);
    assert_int_equal(unmap->instrs[2].op, CK_STORE);
    assert_int_equal(find(p, "C2 clEnqueueSVMMap")->instrs[1].op, CK_POINT);
    assert_int_equal(edges(p, "mapping", "C0 clEnqueueMapBuffer", "C1 clEnqueueUnmapMemObject"), 1);
    ck_program_destroy(p);
}

static void children(void **state)
{
    (void)state;
    struct ck_program *p =
        lower(HEAD "H0 () { clEnqueueNDRangeKernel(q, 0); }\n"
                   "P0@wg 0, dev 0 () { enqueue_kernel(d, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, 4); }\n"
                   "P1@wg 0, dev 0, kernel 4 (global int* x) { *x = 1; }\nexists (x = 1)");
    assert_int_equal(edges(p, "parent", "C0 clEnqueueNDRangeKernel", "C1 enqueue_kernel"), 1);
    assert_int_equal(edges(p, "child", "E1", "E0"), 1);
    assert_true(find(p, "C1 enqueue_kernel")->instrs[0].tags & MM_POINT_WAIT_KERNEL);
    /* one tree of kernels, two work-groups */
    assert_int_equal(find(p, "P1")->kernel, find(p, "P0")->kernel);
    assert_int_not_equal(find(p, "P1")->work_group, find(p, "P0")->work_group);
    ck_program_destroy(p);
}

#define BUFFER                                                                                               \
    "OPENCL t\n{ [x] = 0; [y] = 0; queue q; queue r, out_of_order; queue p @ dev 1;\n"                       \
    "semaphore s; semaphore t; command_buffer b @ r; command_buffer c @ q; }\n"
#define FILL  "clCommandFillBufferKHR(b, x, 1, &s0);\n"
#define FINAL "clFinalizeCommandBufferKHR(b);\n"
#define REST  "clFinalizeCommandBufferKHR(c);\nclEnqueueCommandBufferKHR(q, c);\n"

static void command_buffers(void **state)
{
    (void)state;
    struct ck_program *p =
        lower(BUFFER "H0 (global int* x, global int* y) {\n" FILL "clCommandCopyBufferKHR(b, x, y, {s0});\n"
                     "clCommandBarrierWithWaitListKHR(b);\n" FINAL "clEnqueueCommandBufferKHR(q, b, &e0);\n"
                     "clEnqueueCommandBufferKHR(q, b, {e0});\n" REST "}\nexists (x = 1)");
    static const char *const fill[] = {"C0 clCommandFillBufferKHR", "C0.1 clCommandFillBufferKHR"},
                             *const copy[] = {"C1 clCommandCopyBufferKHR", "C1.1 clCommandCopyBufferKHR"},
                             *const barrier[] = {"C2 clCommandBarrierWithWaitListKHR",
                                                 "C2.1 clCommandBarrierWithWaitListKHR"},
                             *const run[] = {"C3 clEnqueueCommandBufferKHR", "C4 clEnqueueCommandBufferKHR"},
                             *const filled[] = {"E0", "E0.1"}, *const copied[] = {"E1", "E1.1"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(find(p, fill[i])->instrs[1].op, CK_STORE);
        assert_int_equal(find(p, fill[i])->instrs[0].tags, MM_POINT_START | MM_POINT_NO_LIST);
        assert_int_equal(find(p, copy[i])->instrs[0].tags, MM_POINT_START);
        assert_int_equal(find(p, barrier[i])->instrs[0].tags,
                         MM_POINT_START | MM_POINT_BARRIER | MM_POINT_NO_LIST);
        assert_int_equal(edges(p, "batch", run[i], fill[i]), 1);
        assert_int_equal(edges(p, "batch", filled[i], run[i]), 1);
        assert_int_equal(edges(p, "batch", run[i], fill[1 - i]), 0);
        assert_int_equal(edges(p, "completes", fill[i], filled[i]), 1);
        assert_int_equal(edges(p, "syncpoint", filled[i], copy[i]), 1);
        assert_int_equal(edges(p, "syncpoint", filled[i], copy[1 - i]), 0);
        assert_int_equal(edges(p, "recording", filled[i], copy[i]), 1);
        assert_int_equal(edges(p, "recording", copied[i], barrier[i]), 1);
        assert_int_equal(edges(p, "recording", copied[i], fill[i]), 0);
        assert_int_equal(edges(p, "enqueue", "H0", fill[i]), 0);
        assert_int_equal(edges(p, "qo", filled[i], run[1]), 0);
    }
    assert_int_equal(edges(p, "rerun", "E3", run[1]), 1);
    assert_int_equal(edges(p, "rerun", "E4", run[0]), 0);
    assert_int_equal(edges(p, "qo", "E3", run[1]), 1);
    assert_int_equal(edges(p, "waitlist", "E3", run[1]), 1);
    ck_program_destroy(p);
}

static void semaphores(void **state)
{
    (void)state;
    struct ck_program *p = lower(
        "OPENCL t\n{ [x] = 0; queue q; queue r; semaphore s; semaphore t; }\nH0 () {\n"
        "clEnqueueSignalSemaphoresKHR(q, {s, t});\nclEnqueueWaitSemaphoresKHR(r, s);\n"
        "clEnqueueSignalSemaphoresKHR(q, s);\nclEnqueueWaitSemaphoresKHR(r, {t, s});\n}\nexists (x = 0)");
    static const char first[] = "C1 clEnqueueWaitSemaphoresKHR", second[] = "C3 clEnqueueWaitSemaphoresKHR";
    assert_int_equal(edges(p, "semaphore", "E0", first), 1);
    assert_int_equal(edges(p, "semaphore", "E2", first), 0);
    assert_int_equal(edges(p, "semaphore", "E0", second), 1); /* t */
    assert_int_equal(edges(p, "semaphore", "E2", second), 1);
    ck_program_destroy(p);
}

static void printing(void **state)
{
    (void)state;
    static const char text[] =
        "OPENCL t\n\n{\n  [x] = 0;\n  queue q @ dev 0;\n  queue p @ dev 1, out_of_order;\n"
        "  queue d @ dev 0, on_device;\n  user_event u;\n  semaphore s;\n  semaphore t;\n"
        "  command_buffer b @ q;\n  command_buffer c @ p, simultaneous_use;\n}\n\n"
        "H0@host (global int* x, host int* h) {\n"
        "  clEnqueueNDRangeKernel(q, 0, {u}, &e0);\n"
        "  clEnqueueCopyBuffer(p, x[0], x[0], {e0, u});\n"
        "  clEnqueueMapBuffer(q, x, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, &e1);\n"
        "  clEnqueueFillBuffer(q, x, -2);\n"
        "  clWaitForEvents({e0, e1});\n"
        "  clGetEventInfo(e0, CL_COMPLETE);\n"
        "  clGetEventInfo(e1, CL_QUEUED);\n"
        "  clSetEventCallback(e0, CL_COMPLETE, H1);\n"
        "  clSetUserEventStatus(u, CL_COMPLETE);\n"
        "  clFlush(q);\n"
        "  clEnqueueSignalSemaphoresKHR(q, {s, t}, {e0});\n"
        "  clEnqueueWaitSemaphoresKHR(p, s);\n"
        "  clEnqueueWaitSemaphoresKHR(p, t, &e2);\n"
        "  clCommandFillBufferKHR(b, x, 1, &s0);\n"
        "  clCommandNDRangeKernelKHR(b, 1, {s0}, &s1);\n"
        "  clCommandBarrierWithWaitListKHR(b, {s0, s1});\n"
        "  clFinalizeCommandBufferKHR(b);\n"
        "  clEnqueueCommandBufferKHR(q, b, {e0}, &e3);\n"
        "  clFinalizeCommandBufferKHR(c);\n"
        "  clEnqueueCommandBufferKHR(p, c);\n"
        "}\n\nH1@host () {\n}\n\n"
        "P0@wg 0, dev 0 () {\n  enqueue_marker(d, {u}, &m);\n}\n\n"
        "P1@wg 0, dev 0, kernel 1 () {\n}\n\n"
        "exists (H0:r0 == 1 \\/ x == 1)\n";
    struct lt_test *test = NULL;
    struct mm_error err = {0};
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);
    assert_non_null(f);
    if (lt_parse(text, strlen(text), "t", &test, &err) != MM_OK)
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    lt_print(test, f);
    fclose(f);
    out[size - 1] = '\0';
    assert_true(strlen(out) > 400);
    char again[sizeof text];
    snprintf(again, sizeof again, "%s", text);
    again[strlen(again) - 1] = '\0';
    /* what the printer adds: parentheses around propositions */
    assert_memory_equal(out, again, (size_t)(strstr(again, "exists") - again));
    free(out);
    lt_test_destroy(test);
}

static void wrong_text(void **state)
{
    (void)state;
#define HOST(body) HEAD "H0 (global int* x, host int* h) {\n" body "\n}\n" KERNEL "exists (x = 1)"
#define RUN        "clEnqueueNDRangeKernel(q, 0);\n"
    expect_error("OPENCL t\n{ queue q; queue q; }\nH0 () { }\nexists (0 = 0)", 2, 18, "twice");
    expect_error("OPENCL t\n{ queue q @ dev 0, fast; }\nH0 () { }\nexists (0 = 0)", 2, 20, "out_of_order");
    expect_error("OPENCL t\n{ user_event u; user_event u; }\nH0 () { }\nexists (0 = 0)", 2, 28, "twice");
    expect_error(HOST(RUN "clEnqueueBarrierWithWaitList(r);"), 6, 1, "unknown queue 'r'");
    expect_error(HOST(RUN "clEnqueueBarrierWithWaitList(d);"), 6, 1, "accepts no commands from the host");
    expect_error(HOST(RUN "clWaitForEvents({e});"), 6, 18, "unknown event 'e'");
    expect_error(HOST(RUN "clWaitForEvents({});"), 6, 18, "name of an event");
    expect_error(HOST(RUN "clGetEventInfo(e, CL_COMPLETE);"), 6, 16, "unknown event 'e'");
    expect_error(HOST(RUN "clGetEventInfo(u, CL_SUCCESS);"), 6, 19,
                 "expected CL_COMPLETE, CL_RUNNING, CL_SUBMITTED or CL_QUEUED");
    expect_error(HOST(RUN "clFinish(q, &e);"), 6, 11, "expected ')'");
    expect_error(HOST(RUN "clEnqueueReadBuffer(q, x, 1, h);"), 6, 27, "CL_TRUE or CL_FALSE");
    expect_error(HOST(RUN "clEnqueueMapBuffer(q, x, CL_TRUE, 1);"), 6, 35, "CL_MAP_READ");
    expect_error(HOST(RUN "clSetEventCallback(u, CL_COMPLETE, H0);"), 6, 1, "starts itself");
    expect_error(HOST(RUN "clSetEventCallback(u, CL_COMPLETE, H7);"), 6, 1, "unknown thread H7");
    expect_error(HOST(RUN "clSetUserEventStatus(u, CL_COMPLETE);\nclSetUserEventStatus(u, CL_COMPLETE);"), 7,
                 1, "set twice");
    expect_error(HOST("clEnqueueNDRangeKernel(q, 0, &e);\nclSetUserEventStatus(e, CL_COMPLETE);"), 6, 1,
                 "not a user event");
    expect_error(HOST(RUN RUN), 6, 1, "twice");
    expect_error(HOST(RUN "clEnqueueNDRangeKernel(q, 3);"), 6, 1, "no thread belongs to kernel 3");
    expect_error(HOST("clEnqueueNDRangeKernel(p, 0);"), 5, 1, "another device");
    expect_error(HOST("clFinish(q);"), 7, 1, "nothing enqueues kernel 0");
    expect_error(HOST(RUN "clEnqueueUnmapMemObject(q, x);"), 6, 1, "not mapped");
    expect_error(HOST(RUN "enqueue_marker(d, {u});"), 6, 1, "for work-items");
    expect_error(HEAD "H0 () {\n" RUN "}\nP0@wg 0, dev 0 () {\nclFinish(q);\n}\nexists (x = 1)", 8, 1,
                 "for host threads");
    expect_error(HEAD
                 "P0@wg 0, dev 0 () {\nenqueue_kernel(d, CLK_ENQUEUE_FLAGS_NO_WAIT, 0);\n}\nexists (x = 1)",
                 5, 1, "descends from itself");
    expect_error("OPENCL t\n{ }\nH0 () { }\nH0 () { }\nexists (0 = 0)", 4, 1, "H0 is declared twice");
    expect_error("OPENCL t\n{ }\nH0@wg 0 () { }\nexists (0 = 0)", 3, 4, "expected 'host'");
}

static void wrong_command_buffers(void **state)
{
    (void)state;
#define IN(body) BUFFER "H0 (global int* x, global int* y) {\n" body "}\nexists (x = 1)"
#define RUN_B    "clEnqueueCommandBufferKHR(q, b);\n"
    expect_error("OPENCL t\n{ queue q; command_buffer b; }\nH0 () { }\nexists (0 = 0)", 2, 28,
                 "expected '@'");
    expect_error("OPENCL t\n{ queue q; command_buffer b @ z; }\nH0 () { }\nexists (0 = 0)", 2, 27,
                 "unknown queue 'z'");
    expect_error("OPENCL t\n{ queue d, on_device; command_buffer b @ d; }\nH0 () { }\nexists (0 = 0)", 2, 38,
                 "accepts no commands from the host");
    expect_error(
        "OPENCL t\n{ queue q; command_buffer b @ q; command_buffer b @ q; }\nH0 () { }\nexists (0 = 0)", 2,
        49, "twice");
    expect_error(IN("clCommandFillBufferKHR(z, x, 1);\n" FINAL RUN_B REST), 5, 1,
                 "unknown command buffer 'z'");
    expect_error(IN(FILL RUN_B FINAL REST), 6, 1, "not finalized before it is enqueued");
    expect_error(IN(FILL FINAL FILL), 7, 34, "twice");
    expect_error(IN(FINAL FILL RUN_B REST), 6, 1, "is finalized before");
    expect_error(IN(FINAL FINAL RUN_B REST), 6, 1, "is finalized before");
    expect_error(IN(FILL FINAL REST), 3, 42, "nothing enqueues command buffer 'b'");
    expect_error(IN(FILL RUN_B REST), 3, 42, "nothing finalizes command buffer 'b'");
    expect_error(IN(FILL FINAL "clEnqueueCommandBufferKHR(p, b);\n" REST), 7, 1, "another device");
    expect_error(IN("clCommandCopyBufferKHR(b, x, y, {s0});\n" FILL FINAL RUN_B REST), 5, 34,
                 "of no command recorded before");
    expect_error(IN(FILL "clCommandCopyBufferKHR(c, x, y, {s0});\n" FINAL RUN_B REST), 6, 34,
                 "of no command recorded before");
    expect_error(IN(FILL FINAL "clEnqueueCommandBufferKHR(q, b, {s0});\n" REST), 7, 34, "unknown event 's0'");
    expect_error(
        IN("clEnqueueFillBuffer(q, x, 1, &e0);\nclCommandFillBufferKHR(b, x, 1, {e0});\n" FINAL RUN_B REST),
        6, 34, "unknown sync-point 'e0'");
    expect_error(BUFFER "H0 (global int* x) {\n" FILL FINAL REST
                        "}\nH1 () {\nclCommandBarrierWithWaitListKHR(b);\n}\n"
                        "H2 () {\n" RUN_B "}\nexists (x = 1)",
                 11, 1, "is finalized before");
    expect_error(BUFFER
                 "H0 (global int* x) {\nclCommandBarrierWithWaitListKHR(b);\n}\nH1 () {\n" FINAL RUN_B REST
                 "}\nexists (x = 1)",
                 5, 1, "two host threads record into command buffer 'b'");
    expect_error(BUFFER "H0 (global int* x) {\n" FILL FINAL RUN_B REST "}\nH1 () {\n" RUN_B
                        "}\nexists (x = 1)",
                 12, 1, "two host threads enqueue command buffer 'b'");
    expect_error(IN("clCommandNDRangeKernelKHR(b, 0);\n" FINAL RUN_B RUN_B REST "}\n" KERNEL "H1 () {"), 8, 1,
                 "enqueued twice");
    expect_error(IN("clCommandFillBufferKHR(b, z, 1);\n" FINAL RUN_B REST), 5, 27, "unknown location 'z'");
    expect_error(IN(FINAL RUN_B REST "clEnqueueWaitSemaphoresKHR(q, s);\n"), 9, 31,
                 "nothing signals semaphore 's'");
    expect_error(IN(FINAL RUN_B REST "clEnqueueSignalSemaphoresKHR(q, {s, s});\n"), 9, 37, "named twice");
    expect_error(BUFFER "H0 () {\n" FINAL RUN_B REST
                        "clEnqueueSignalSemaphoresKHR(q, s);\nclEnqueueSignalSemaphoresKHR(q, s);\n}\n"
                        "H1 () {\nclEnqueueWaitSemaphoresKHR(p, s);\n}\nexists (x = 1)",
                 10, 1, "more than once");
}

static void wrong_meaning(void **state)
{
    (void)state;
    expect_error(HOST("if (1) {\n" RUN "}"), 6, 1, "always comes to");
    expect_error(HOST("return;\n" RUN), 6, 1, "always comes to");
    expect_error(HOST(RUN "clEnqueueReadBuffer(q, x, CL_TRUE, x);"), 6, 36, "does not take");
    expect_error(HOST(RUN "clEnqueueSVMMemFill(q, x, 1);"), 6, 24, "does not take");
    expect_error(HOST(RUN "clEnqueueFillBuffer(q, z, 1);"), 6, 24, "unknown location 'z'");
    expect_error(HOST(RUN "clEnqueueFillBuffer(q, x[1], 1);"), 6, 24, "has 1 elements");
    expect_error(HOST(RUN "clEnqueueCopyBuffer(q, x, y);"), 6, 1, "differ in size");
    expect_error(HEAD "H0 () {\n" RUN "}\nH1 () {\nclFinish(q);\n}\n" KERNEL "exists (x = 1)", 8, 1,
                 "two host threads use queue 'q'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands),
                                       cmocka_unit_test(maps),
                                       cmocka_unit_test(children),
                                       cmocka_unit_test(printing),
                                       cmocka_unit_test(wrong_text),
                                       cmocka_unit_test(wrong_meaning),
                                       cmocka_unit_test(command_buffers),
                                       cmocka_unit_test(semaphores),
                                       cmocka_unit_test(wrong_command_buffers)};
    return cmocka_run_group_tests_name("litmus host", tests, NULL, NULL);
}
